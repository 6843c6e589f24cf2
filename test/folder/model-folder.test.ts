import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { openModelFolder, readJson } from '../../src/folder/model-folder.ts';

it.each([
  ['null', 'holds no JSON object.'],
  ['5', 'holds no JSON object.'],
  ['"text"', 'holds no JSON object.'],
  ['{', 'is not valid JSON.'],
  ['', 'is not valid JSON.'],
  [`{"x":${'['.repeat(200_000)}${']'.repeat(200_000)}}`, ': expected at most 128 levels of nesting.'],
])('a file with %s is refused by its name', async (text, reason) => {
  const folder = await mkdtemp(join(tmpdir(), 'model-folder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'config.json'), text);
  await expect(readJson(folder, 'config.json')).rejects.toMatchObject({
    code: 'invalid_request',
    param: 'source',
    message: `source: config.json in ${folder}${reason.startsWith(':') ? '' : ' '}${reason}`,
  });
});

it.each([
  ['{"hidden_size": 1e300}', 'hidden_size 1e+300'],
  ['{"num_hidden_layers": -1}', 'num_hidden_layers -1'],
  ['{"max_position_embeddings": 0}', 'max_position_embeddings 0'],
  ['{"text_config": {"vocab_size": 0.5}}', 'text_config.vocab_size 0.5'],
])('a size that no model has is refused by its name: %s', async (text, named) => {
  const folder = await mkdtemp(join(tmpdir(), 'model-folder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(join(folder, 'config.json'), text);
  await expect(openModelFolder(folder)).rejects.toMatchObject({
    code: 'invalid_request',
    message: `source: config.json has ${named}, expected an integer from 1 to 2147483647.`,
  });
});

it('a config without sizes, or with others than numbers, is no fault', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'model-folder-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  await writeFile(
    join(folder, 'config.json'),
    '{"num_attention_heads": [1, 2], "hidden_size": null, "pad_token_id": -1}',
  );
  await writeFile(join(folder, 'tokenizer.json'), '{}');
  expect((await openModelFolder(folder)).config['pad_token_id']).toBe(-1);
});
