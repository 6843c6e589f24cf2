import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  mergeSymbols,
  createPairTable,
  type PairTable,
} from '../../../src/core/tokenization/models/merge.ts';
import { clearSymbols, createSymbols, pushSymbol } from '../../../src/core/tokenization/models/model.ts';

/** Merges of a few letters: `[left, right]`, in the order of their ranks; the merged token gets the next id. */
function createPairs(merges: readonly (readonly [number, number])[], letters: number): PairTable {
  const pairs = createPairTable(merges.length);
  for (const [rank, [left, right]] of merges.entries()) pairs.add(left, right, letters + rank);
  return pairs;
}

function merge(ids: readonly number[], pairs: PairTable): { ids: number[]; lengths: number[] } {
  const symbols = createSymbols();
  clearSymbols(symbols, ids.length);
  for (const id of ids) pushSymbol(symbols, id, 1);
  mergeSymbols(symbols, pairs);
  return {
    ids: [...symbols.ids.subarray(0, symbols.count)],
    lengths: [...symbols.lengths.subarray(0, symbols.count)],
  };
}

/** The definition: again and again, the leftmost pair of the lowest rank. */
function mergeSlowly(ids: readonly number[], pairs: PairTable): number[] {
  const merged = [...ids];
  for (;;) {
    let place = -1;
    let lowest = -1;
    for (let at = 0; at + 1 < merged.length; at++) {
      const rank = pairs.find(merged[at]!, merged[at + 1]!);
      if (rank !== -1 && (lowest === -1 || rank < lowest)) [place, lowest] = [at, rank];
    }
    if (lowest === -1) return merged;
    merged.splice(place, 2, pairs.mergedAt(lowest));
  }
}

const letters = 3;
const anyMerges = fc
  .array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 12 })
  .map((draws) =>
    draws.map(([left, right], rank) => [left % (letters + rank), right % (letters + rank)] as const),
  );

describe('merging', () => {
  it.each([
    ['short words', 1, 30],
    ['long words', 41, 120],
  ])('does what the definition says, for %s', (_title, minLength, maxLength) => {
    fc.assert(
      fc.property(fc.array(fc.nat(letters - 1), { minLength, maxLength }), anyMerges, (ids, merges) => {
        // Of equal pairs, the later one counts.
        const pairs = createPairs(merges, letters);
        const merged = merge(ids, pairs);
        expect(merged.ids).toEqual(mergeSlowly(ids, pairs));
        expect(merged.lengths.reduce((sum, length) => sum + length, 0)).toBe(ids.length);
      }),
      { seed: 5 },
    );
  });

  it.each([
    ['one letter again and again', () => 0],
    ['two letters in turn', (at: number) => at % 2],
    ['letters without order', (at: number) => Math.imul(at, 0x9e_37_79_b1) >>> 30],
  ])('takes about twice the steps for a word of twice the length: %s', (_title, letterAt) => {
    // Neighbours in the alphabet, and whatever stands twice.
    const merges = Array.from({ length: 14 }, (_, rank) => [rank, rank < 4 ? (rank + 1) % 4 : rank] as const);
    const stepsFor = (length: number): number => {
      const pairs = createPairs(merges, 4);
      let steps = 0;
      const counted: PairTable = { ...pairs, find: (left, right) => (steps++, pairs.find(left, right)) };
      merge(
        Array.from({ length }, (_, at) => letterAt(at)),
        counted,
      );
      return steps;
    };
    expect(stepsFor(16_000)).toBeLessThan(2.2 * stepsFor(8000));
    expect(stepsFor(8000)).toBeLessThan(10 * 8000);
  });
});
