import { createSlots, hashPair } from './hash.ts';

/** The merges of a model: what becomes of two tokens that stand side by side. */
export interface PairTable {
  /** The rank of the merge of a pair, −1 if there is none. */
  find(left: number, right: number): number;
  /** The token that the merge of a rank makes. */
  mergedAt(rank: number): number;
  /** Adds a merge, which gets the next rank. Of two merges of one pair the later counts. */
  add(left: number, right: number, merged: number): void;
}

/** Most look-ups find nothing and are the faster the emptier the table is. */
const load = 0.5;

/** Merges by rank, three numbers each, and an open-addressed hash table that finds them by their pair. */
export function createPairTable(limit: number): PairTable {
  const { slots, entryBits } = createSlots(limit, load);
  const mask = slots.length - 1;
  const merges = new Int32Array(3 * limit);
  let count = 0;

  /** The slot of a pair, or the free one where it belongs. */
  function slotOf(hash: number, left: number, right: number): number {
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const found = slots[slot]!;
      if (found === 0) return slot;
      if (((found ^ hash) & ~entryBits) !== 0) continue;
      const place = 3 * (found & entryBits) - 3;
      if (merges[place] === left && merges[place + 1] === right) return slot;
    }
  }

  return {
    find: (left, right) => (slots[slotOf(hashPair(left, right), left, right)]! & entryBits) - 1,
    mergedAt: (rank) => merges[3 * rank + 2]!,
    add(left, right, merged) {
      const hash = hashPair(left, right);
      const place = 3 * count++;
      merges[place] = left;
      merges[place + 1] = right;
      merges[place + 2] = merged;
      slots[slotOf(hash, left, right)] = (hash & ~entryBits) | count;
    },
  };
}
