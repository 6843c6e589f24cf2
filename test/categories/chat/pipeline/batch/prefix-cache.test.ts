import { expect, it } from 'vitest';
import { PrefixCache } from '../../../../../src/categories/chat/pipeline/batch/prefix-cache.ts';
import type { Decoder, DecoderCache } from '../../../../../src/contracts/decoder.ts';
import { CacheFull } from '../../../../../src/runtime/cache-full.ts';

interface Kept extends DecoderCache {
  readonly name: string;
}

const bytesOfToken = 10;

/** A decoder that only keeps; `found` has the names of what was continued. */
function keeper({ capacity, isFull = () => false }: { capacity?: number; isFull?: () => boolean } = {}) {
  const live = new Set<string>();
  const found: string[] = [];
  const cacheOf = (name: string, length: number, minBeginning?: number): Kept => {
    live.add(name);
    return {
      name,
      rows: 1,
      lengths: Int32Array.of(length),
      bytes: length * bytesOfToken,
      ...(minBeginning === undefined ? {} : { minBeginning }),
      release: () => void live.delete(name),
    };
  };
  const decoder = {
    ...(capacity === undefined ? {} : { capacity }),
    async gather([source]: readonly { readonly cache: DecoderCache }[]) {
      if (isFull()) throw new CacheFull('no place');
      found.push((source!.cache as Kept).name);
      return source!.cache;
    },
    keep: async ({ cache }: { readonly cache: DecoderCache }) => cache,
  } as unknown as Decoder;
  return { decoder, cacheOf, live, found };
}

const tokens = (...ids: number[]) => Int32Array.from(ids);
const sequence = (first: number, length: number) =>
  Int32Array.from({ length }, (_, index) => (index === 0 ? first : index));

it('continues the sequence that was used last, of those that share as much', async () => {
  const { decoder, cacheOf, found } = keeper();
  const prefixes = new PrefixCache(decoder, { maxSequences: 4, maxBytes: 1000 });
  await prefixes.keep(tokens(1, 2, 3), { cache: cacheOf('older', 3), row: 0 });
  await prefixes.keep(tokens(1, 2, 4), { cache: cacheOf('newer', 3), row: 0 });
  expect((await prefixes.find(tokens(1, 2, 5, 6)))?.length).toBe(2);
  expect((await prefixes.find(tokens(1, 2, 3, 6)))?.length).toBe(3);
  expect((await prefixes.find(tokens(1, 2, 5, 6)))?.length).toBe(2);
  expect(await prefixes.find(tokens(7, 8))).toBeUndefined();
  expect(found).toEqual(['newer', 'older', 'older']);
});

it('keeps a cache that is given up, unless it is too large', async () => {
  const { decoder, cacheOf, live, found } = keeper();
  const prefixes = new PrefixCache(decoder, { maxSequences: 4, maxBytes: 1000 });
  const given = { cache: cacheOf('given', 4), row: 0 };
  expect(await prefixes.keep(tokens(1, 2, 3, 4), given)).toBe(false);
  expect(await prefixes.keep(tokens(1, 2, 3, 4), given, { isLast: true })).toBe(true);
  expect((await prefixes.find(tokens(1, 2, 3, 9)))?.length).toBe(3);
  expect(found).toEqual(['given']);
  const large = { cache: cacheOf('large', 101), row: 0 };
  expect(await prefixes.keep(sequence(7, 101), large, { isLast: true })).toBe(false);
  expect([...live]).toContain('large');
});

it('computes beginnings that take longer to copy', async () => {
  const { decoder, cacheOf } = keeper();
  const prefixes = new PrefixCache(decoder, { maxSequences: 4, maxBytes: 1000 });
  await prefixes.keep(tokens(1, 2, 3, 4), { cache: cacheOf('a', 4, 3), row: 0 });
  expect(await prefixes.find(tokens(1, 2, 9, 9))).toBeUndefined();
  expect((await prefixes.find(tokens(1, 2, 3, 9)))?.length).toBe(3);
});

it('computes a prompt whose beginning has no place now, and keeps that', async () => {
  let isFull = true;
  const { decoder, cacheOf } = keeper({ isFull: () => isFull });
  const prefixes = new PrefixCache(decoder, { maxSequences: 4, maxBytes: 1000 });
  await prefixes.keep(tokens(1, 2, 3), { cache: cacheOf('a', 3), row: 0 });
  expect(await prefixes.find(tokens(1, 2, 3, 4))).toBeUndefined();
  isFull = false;
  expect((await prefixes.find(tokens(1, 2, 3, 4)))?.length).toBe(3);
});

it.each([
  { title: 'bytes', capacity: undefined, kept: ['b', 'c'] },
  {
    title: 'as many bytes as a cache of fixed size holds, if those are more',
    capacity: 80,
    kept: ['a', 'b', 'c'],
  },
  { title: 'bytes, if a cache of fixed size holds less', capacity: 8, kept: ['b', 'c'] },
])('keeps $title', async ({ capacity, kept }) => {
  const { decoder, cacheOf, live } = keeper(capacity === undefined ? {} : { capacity });
  const prefixes = new PrefixCache(decoder, { maxSequences: 4, maxBytes: 45 * bytesOfToken });
  for (const [index, name] of ['a', 'b', 'c'].entries()) {
    await prefixes.keep(sequence(100 + index, 20), { cache: cacheOf(name, 20), row: 0 });
  }
  expect([...live]).toEqual(kept);
  await prefixes.keep(sequence(200, 90), { cache: cacheOf('too large', 90), row: 0 });
  expect([...live]).toEqual(kept);
});
