import { expect, it } from 'vitest';
import { stepsRaggedRows } from '../../../../src/backends/onnx/chat/load-decoder.ts';
import type { CacheRow, Decoder, DecoderCache } from '../../../../src/contracts/decoder.ts';

const cases = [
  ['counts positions of each row', (lengths: Int32Array, row: number) => lengths[row]!, true],
  ['counts slots, used or not', (lengths: Int32Array, row: number) => (lengths[row]! > 0 ? 64 : 0), false],
  ['counts slots of the batch', (lengths: Int32Array) => Math.max(...lengths), false],
  [
    'refuses unused slots',
    (lengths: Int32Array, row: number) => {
      if (lengths[row] !== Math.max(...lengths)) throw new RangeError('attention_mask: expected ones');
      return lengths[row]!;
    },
    false,
  ],
] as const;

it.each(cases)('a graph that %s: %s', async (_, positionOf, expected) => {
  expect(await stepsRaggedRows(createDecoder(positionOf))).toBe(expected);
});

it('feeds embeddings to graphs that take them', async () => {
  const decoder = { ...createDecoder((lengths, row) => lengths[row]!), hiddenSize: 2 };
  const sizes: (number | undefined)[] = [];
  await stepsRaggedRows({
    ...decoder,
    forward: (cache, tokens, count, counts, inputs) => {
      sizes.push(inputs?.embeddings?.length);
      return decoder.forward(cache, tokens, count, counts, inputs);
    },
  });
  expect(sizes).toEqual([18, 8, 4, 20, 10]);
});

/** A decoder whose logits tell the position that it takes the last token to have. */
function createDecoder(positionOf: (lengths: Int32Array, row: number) => number): Decoder {
  const createCache = (rows = 1): DecoderCache => ({
    rows,
    lengths: new Int32Array(rows),
    bytes: 0,
    release: () => {},
  });
  return {
    vocabularySize: 2,
    ragged: true,
    raggedPrompts: false,
    createCache,
    async gather(rows: readonly CacheRow[]) {
      const cache = createCache(rows.length);
      for (const [row, source] of rows.entries()) cache.lengths[row] = source.cache.lengths[source.row]!;
      return cache;
    },
    async forward({ rows, lengths }, tokens, count) {
      const logits = Float32Array.from({ length: 2 * rows }, (_, at) =>
        at % 2 === 0 ? positionOf(lengths, at >> 1) + count - 1 : tokens[((at >> 1) + 1) * count - 1]!,
      );
      for (const row of lengths.keys()) lengths[row]! += count;
      return logits;
    },
    release: async () => {},
  };
}
