import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { partitionByLength, type BatchLimits } from '../../../src/core/embedding/batching.ts';

const limits: BatchLimits = { maxTokens: 512, maxRows: 32, batchCost: 32 };

function costOf(
  batches: readonly number[][],
  lengths: readonly number[],
  { batchCost }: BatchLimits,
): number {
  return batches.reduce(
    (sum, batch) => sum + batchCost + batch.length * Math.max(...batch.map((index) => lengths[index]!)),
    0,
  );
}

describe('partitionByLength', () => {
  it.each<[string, number[], Partial<BatchLimits>, number[][]]>([
    ['nothing', [], {}, []],
    ['texts of one length', [7, 7, 7], {}, [[0, 1, 2]]],
    ['little padding', [5, 100, 6], {}, [[1], [2, 0]]],
    ['a further batch that costs more than padding', [5, 20, 6], {}, [[1, 2, 0]]],
    ['too many rows', [4, 4, 4, 4, 4], { maxRows: 4 }, [[0, 1, 2, 3], [4]]],
    ['too many tokens', [200, 200, 200], {}, [[0, 1], [2]]],
    ['a text that is longer than a batch', [600, 3], {}, [[0], [1]]],
  ])('%s', (_title, lengths, changes, expected) => {
    expect(partitionByLength(lengths, { ...limits, ...changes })).toEqual(expected);
  });

  const cases = fc.record({
    lengths: fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 9 }),
    maxTokens: fc.integer({ min: 1, max: 200 }),
    maxRows: fc.integer({ min: 1, max: 6 }),
    batchCost: fc.integer({ min: 0, max: 50 }),
  });

  it('has every text once and keeps to the limits', () => {
    fc.assert(
      fc.property(cases, ({ lengths, ...bounds }) => {
        const batches = partitionByLength(lengths, bounds);
        expect(batches.flat().toSorted((a, b) => a - b)).toEqual(lengths.map((_, index) => index));
        for (const batch of batches) {
          expect(batch.length).toBeLessThanOrEqual(bounds.maxRows);
          const longest = Math.max(...batch.map((index) => lengths[index]!));
          if (batch.length > 1) expect(batch.length * longest).toBeLessThanOrEqual(bounds.maxTokens);
        }
      }),
    );
  });

  it('costs no more than any other way to cut the sorted texts', () => {
    fc.assert(
      fc.property(cases, ({ lengths, ...bounds }) => {
        const sorted = lengths.map((_, index) => index).toSorted((a, b) => lengths[b]! - lengths[a]!);
        const best = costOf(partitionByLength(lengths, bounds), lengths, bounds);
        for (let cuts = 0; cuts < 2 ** Math.max(0, sorted.length - 1); cuts++) {
          const batches = sorted.reduce<number[][]>((made, index, at) => {
            if (at === 0 || (cuts >> (at - 1)) & 1) return [...made, [index]];
            return [...made.slice(0, -1), [...made.at(-1)!, index]];
          }, []);
          const fits = batches.every(
            (batch) =>
              batch.length === 1 ||
              (batch.length <= bounds.maxRows && batch.length * lengths[batch[0]!]! <= bounds.maxTokens),
          );
          if (fits) expect(best).toBeLessThanOrEqual(costOf(batches, lengths, bounds));
        }
      }),
    );
  });
});
