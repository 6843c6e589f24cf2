import { slotsFor } from './hash.ts';

/** What becomes of two tokens that stand side by side. */
export interface PairTable {
  /** The place of a pair, −1 if there is none. */
  find(left: number, right: number): number;
  /** Adds a pair, or gives it other values. */
  set(left: number, right: number, rank: number, merged: number): void;
  rankAt(place: number): number;
  mergedAt(place: number): number;
}

/** Four numbers side by side: a look-up touches one cache line. */
const width = 4;

/**
 * An open-addressed hash table (linear probing, load at most a half) from pairs of token ids to the rank of their
 * merge and the token it makes.
 *
 * @param count how many pairs there will be at most
 */
export function createPairTable(count: number): PairTable {
  const slots = slotsFor(count);
  const mask = slots - 1;
  const table = new Int32Array(slots * width).fill(-1);

  /** The place of a pair, or the free one where it belongs. */
  function placeOf(left: number, right: number): number {
    const hash = Math.imul(left, 0x9e_37_79_b1) ^ Math.imul(right, 0x85_eb_ca_77);
    for (let slot = (hash ^ (hash >>> 15)) & mask; ; slot = (slot + 1) & mask) {
      const place = slot * width;
      const found = table[place]!;
      if (found === -1 || (found === left && table[place + 1] === right)) return place;
    }
  }

  return {
    find(left, right) {
      const place = placeOf(left, right);
      return table[place] === -1 ? -1 : place;
    },
    set(left, right, rank, merged) {
      const place = placeOf(left, right);
      table[place] = left;
      table[place + 1] = right;
      table[place + 2] = rank;
      table[place + 3] = merged;
    },
    rankAt: (place) => table[place + 2]!,
    mergedAt: (place) => table[place + 3]!,
  };
}
