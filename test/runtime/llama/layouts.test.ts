import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { llamaRange } from '../../../src/runtime/llama/find-binaries.ts';
import { assertLayout, assertSize, type Batch } from '../../../src/runtime/llama/layouts.ts';
import { loadLlama } from '../../../src/runtime/llama/load-library.ts';
import { missingLlama, needs } from '../../needs.ts';

it('the range of the error, of the peer dependency and of the tests is one', () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')) as {
      readonly peerDependencies: Readonly<Record<string, string>>;
      readonly optionalDependencies: Readonly<Record<string, string>>;
    };
  expect(read('package.json').peerDependencies['node-llama-cpp']).toBe(llamaRange);
  expect(read('test/engines/package.json').optionalDependencies['@node-llama-cpp/linux-x64']).toBe(
    llamaRange,
  );
});

const known: Batch = {
  n_tokens: 1,
  token: null,
  embd: null,
  pos: null,
  n_seq_id: null,
  seq_id: null,
  logits: null,
};

it('a structure with the known values is accepted', () => {
  expect(() => assertLayout('batch', known)).not.toThrow();
});

it.each([
  ['another value', { n_tokens: 2 }, 'expected batch.n_tokens to be 1, got 2'],
  ['an address in the place of another', { token: 16n }, 'expected batch.token to be null, got 16'],
])('a structure with %s is refused with the versions that fit', (_name, change, message) => {
  expect(() => assertLayout('batch', { ...known, ...change })).toThrow(
    `llama.cpp: ${message}; slashv1 runs with node-llama-cpp ${llamaRange}`,
  );
});

it.each([
  ['larger', 64],
  ['smaller', 48],
])('a structure that is %s is refused', (_name, size) => {
  const write = (memory: Uint8Array) => void memory.fill(0, 0, size);
  expect(() => assertSize('batch', size, write)).not.toThrow();
  expect(() => assertSize('batch', 56, write)).toThrow(`expected batch to have 56 bytes, got ${size}`);
});

it('padding behind the last member may stay as it was', () => {
  expect(() => assertSize('model', 80, (memory) => void memory.fill(0, 0, 78))).not.toThrow();
});

it('the installed library has the known layouts', needs(missingLlama), async () => {
  await expect(loadLlama('none')).resolves.toHaveProperty('gpu', 'none');
});
