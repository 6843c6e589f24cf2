import { expect, it } from 'vitest';
import { parseModelOption } from '../../src/cli/model-settings.ts';

it.each([
  ['tiny-chat', 'tiny-chat', { source: 'tiny-chat' }],
  ['assistant=qwen3-0.6b', 'assistant', { source: 'qwen3-0.6b' }],
  ['org/name', 'org/name', { source: 'org/name' }],
  ['org/name@main', 'org/name', { source: 'org/name@main' }],
  ['my/id=org/name', 'my/id', { source: 'org/name' }],
  ['./models/phi/', 'phi', { source: './models/phi/' }],
  ['/a/b=c', 'b=c', { source: '/a/b=c' }],
  ['https://models.test/phi/', 'phi', { source: 'https://models.test/phi/' }],
  [String.raw`C:\models\phi`, String.raw`C:\models\phi`, { source: String.raw`C:\models\phi` }],
  [
    'a=b,dtype=q4,threads=4,normalize=false,name=7,category=embedding',
    'a',
    { source: 'b', dtype: 'q4', threads: 4, normalize: false, name: '7', category: 'embedding' },
  ],
])('%s', (text, id, settings) => {
  expect(parseModelOption('--model', text)).toEqual({ id, settings });
});
