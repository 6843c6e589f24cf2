import { expect, expectTypeOf, it } from 'vitest';
import type { ModelOptions } from '../../src/contracts/model.ts';
import {
  catalogue,
  estimateMemoryBytes,
  findCatalogueEntry,
  type CatalogueEntry,
} from '../../src/folder/catalogue.ts';
import { categories as registry } from '../../src/categories/registry.ts';
import { bundledModelNames } from '../../src/folder/bundled-models.ts';
import { parseSource } from '../../src/folder/source.ts';

const entries: readonly (readonly [string, CatalogueEntry])[] = Object.entries(catalogue);

it('has entries that fit createInference', () => {
  expectTypeOf(catalogue).toExtend<Readonly<Record<string, ModelOptions>>>();
});

it('has every category', () => {
  const categories = new Set(entries.map(([, { category }]) => category));
  expect([...categories].sort()).toEqual([...registry.keys()].sort());
});

it('has the names that clients are used to', () => {
  const of = (category: string) =>
    entries.filter(([, entry]) => entry.category === category).map(([id]) => id);
  expect(of('transcription')).toEqual(
    expect.arrayContaining(['whisper-medium', 'whisper-large', 'whisper-large-v3']),
  );
  expect(of('embedding')).toEqual(['all-MiniLM-L6-v2', 'bge-small-en-v1.5']);
  expect(of('rerank')).toEqual(expect.arrayContaining(['ms-marco-MiniLM-L6-v2', 'bge-reranker-base']));
  expect(of('chat').length).toBeGreaterThanOrEqual(15);
});

it.each(entries)('%s is found by all its names', (id, entry) => {
  for (const name of [id, ...entry.aliases]) {
    expect(findCatalogueEntry(name)).toBe(entry);
    const [hubId, revision = 'main'] = entry.source.split('@');
    expect(parseSource(name, entry.category)).toEqual({
      kind: 'hub',
      id: hubId,
      revision,
      dtype: entry.dtype,
    });
  }
});

it('has no name twice, and none of a bundled model', () => {
  const names = entries.flatMap(([id, { aliases }]) => [id, ...aliases]);
  expect(new Set([...names, ...bundledModelNames]).size).toBe(names.length + bundledModelNames.length);
});

it('knows nothing that objects have by themselves', () => {
  expect(findCatalogueEntry('constructor')).toBeUndefined();
});

it.each([
  ['fp32', 4.94],
  ['fp16', 2.47],
  ['q8', 1.24],
  ['q4', 1.66],
  ['q4f16', 1.07],
] as const)(
  'estimates no less memory for %s than the files of Llama 3.2 1B have (%d GB)',
  (dtype, gigabytes) => {
    const estimate = estimateMemoryBytes({ parameters: 1.24e9, dtype });
    expect(estimate).toBeGreaterThan(gigabytes * 1e9);
    expect(estimate).toBeLessThan(gigabytes * 1.25e9);
  },
);
