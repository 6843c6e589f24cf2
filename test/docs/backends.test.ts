import { expect, it } from 'vitest';
import { backends } from '../../src/backends/registry.ts';
import { categoryNames } from '../../src/categories/registry.ts';
import { checkModel } from '../../src/loading/settings.ts';
import { writeBackendTable } from './backends.ts';
import { expectPage, withSection } from './generated-page.ts';

it('the table of backends in docs/remote.md is what the registries say', () =>
  expectPage('docs/remote.md', (now) => withSection(now, 'backends', writeBackendTable())));

const descriptors: Readonly<Record<string, object>> = {
  onnx: { kind: 'onnx' },
  llama: { kind: 'llama' },
  openai: { kind: 'openai', baseURL: 'http://127.0.0.1:9/v1' },
  kserve: { kind: 'kserve', url: 'http://127.0.0.1:9', model: 'a' },
  transformers: { kind: 'transformers' },
};
const pairs = categoryNames.flatMap((category) =>
  backends.map(({ kind, spelling }, column) => ({ category, spelling, kind, column })),
);

it.each(pairs)(
  'a model for $category with the backend $spelling is accepted or refused as docs/remote.md says',
  ({ category, kind, column }) => {
    const row = writeBackendTable()
      .split('\n')
      .find((line) => line.startsWith(`| ${category} `))!;
    const cell = row.split('|')[column + 2]!.trim();
    const check = () => checkModel('models.a', { source: 'a', category, backend: descriptors[kind] });
    if (cell === 'yes') expect(check()).toMatchObject({ category });
    else expect(check).toThrow(/^models\.a\.backend: .*can't run on/);
  },
);
