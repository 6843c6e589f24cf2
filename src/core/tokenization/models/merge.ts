import { keptCapacity } from '../token-buffer.ts';
import type { Symbols } from './model.ts';
import { createSlots, hashPair } from '../hash.ts';

/** Up to this length, scanning all pairs for each merge is faster than the heap. */
const maxScanned = 48;

/**
 * Byte-pair encoding: merges the adjacent pair with the lowest rank first, the leftmost of equal ones, until no merge
 * applies. Short words take quadratic time with a small factor, long ones O(n log n).
 * @see https://www.aclweb.org/anthology/P16-1162/
 */
export function mergeSymbols(symbols: Symbols, pairs: PairTable): void {
  const { count } = symbols;
  if (count < 2) return;
  reserve(count);
  for (let at = 0; at < count; at++) {
    previous[at] = at - 1;
    next[at] = at + 1;
  }
  if (count <= maxScanned) mergeByScan(symbols, pairs);
  else mergeByHeap(symbols, pairs);
  keepMerged(symbols);
}

/** The neighbours of each remaining symbol. */
let previous = new Int32Array(1024);
let next = new Int32Array(1024);

/** Merges a symbol with its right neighbour. */
function merge({ ids, lengths, count }: Symbols, at: number, merged: number): void {
  const right = next[at]!;
  const after = next[right]!;
  ids[at] = merged;
  lengths[at]! += lengths[right]!;
  lengths[right] = 0;
  next[at] = after;
  if (after < count) previous[after] = at;
}

/** Compacts the symbols. */
function keepMerged(symbols: Symbols): void {
  const { ids, lengths, count } = symbols;
  let kept = 0;
  for (let at = 0; at < count; at = next[at]!) {
    ids[kept] = ids[at]!;
    lengths[kept++] = lengths[at]!;
  }
  symbols.count = kept;
}

const noRank = 0x7f_ff_ff_ff;

/** Rank of each symbol with the next one. */
const ranks = new Int32Array(maxScanned);

function rankOf(ids: Int32Array, left: number, right: number, pairs: PairTable): number {
  const rank = pairs.find(ids[left]!, ids[right]!);
  return rank === -1 ? noRank : rank;
}

function mergeByScan(symbols: Symbols, pairs: PairTable): void {
  const { ids, count } = symbols;
  const last = count - 1;
  for (let at = 0; at < last; at++) ranks[at] = rankOf(ids, at, at + 1, pairs);
  ranks[last] = noRank;
  for (;;) {
    let best = 0;
    let lowest = noRank;
    for (let at = 0; at < last; at++) {
      const rank = ranks[at]!;
      if (rank < lowest) {
        lowest = rank;
        best = at;
      }
    }
    if (lowest === noRank) return;
    ranks[next[best]!] = noRank;
    merge(symbols, best, pairs.mergedAt(lowest));
    const before = previous[best]!;
    const after = next[best]!;
    ranks[best] = after < count ? rankOf(ids, best, after, pairs) : noRank;
    if (before >= 0) ranks[before] = rankOf(ids, before, best, pairs);
  }
}

/** Candidates are numbers that sort by rank, then by position. */
const rankUnit = 2 ** 27;

let heap = new Float64Array(3 * 1024);
let heapSize = 0;

function mergeByHeap(symbols: Symbols, pairs: PairTable): void {
  const { ids, lengths, count } = symbols;
  if (count >= rankUnit) throw new RangeError('text: a word is too long');
  heapSize = 0;
  for (let at = 0; at + 1 < count; at++) {
    const rank = pairs.find(ids[at]!, ids[at + 1]!);
    if (rank !== -1) heap[heapSize++] = rank * rankUnit + at;
  }
  for (let at = (heapSize - 2) >> 2; at >= 0; at--) siftDown(heap, heapSize, at);
  while (heapSize > 0) {
    const top = heap[0]!;
    heap[0] = heap[--heapSize]!;
    siftDown(heap, heapSize, 0);
    const rank = Math.floor(top / rankUnit);
    const at = top - rank * rankUnit;
    const right = next[at]!;
    if (lengths[at] === 0 || right >= count) continue;
    // A merge nearby may have changed the pair since it was queued.
    if (pairs.find(ids[at]!, ids[right]!) !== rank) continue;
    merge(symbols, at, pairs.mergedAt(rank));
    if (next[at]! < count) offer(ids, at, next[at]!, pairs);
    if (previous[at]! >= 0) offer(ids, previous[at]!, at, pairs);
  }
}

function offer(ids: Int32Array, left: number, right: number, pairs: PairTable): void {
  const rank = pairs.find(ids[left]!, ids[right]!);
  if (rank === -1) return;
  siftUp(heap, heapSize++, rank * rankUnit + left);
}

/** Each node has four children. */
function siftUp(nodes: Float64Array, from: number, candidate: number): void {
  let at = from;
  while (at > 0) {
    const parent = (at - 1) >> 2;
    if (nodes[parent]! <= candidate) break;
    nodes[at] = nodes[parent]!;
    at = parent;
  }
  nodes[at] = candidate;
}

function siftDown(nodes: Float64Array, size: number, from: number): void {
  const candidate = nodes[from]!;
  let at = from;
  for (let first = 4 * at + 1; first < size; first = 4 * at + 1) {
    const last = Math.min(first + 4, size);
    let smallest = first;
    let lowest = nodes[first]!;
    for (let child = first + 1; child < last; child++) {
      const value = nodes[child]!;
      if (value >= lowest) continue;
      lowest = value;
      smallest = child;
    }
    if (lowest >= candidate) break;
    nodes[at] = lowest;
    at = smallest;
  }
  nodes[at] = candidate;
}

/** Every merge removes one candidate and adds at most two. */
function reserve(count: number): void {
  const roomy = next.length;
  if (count <= roomy && (roomy <= keptCapacity || count > keptCapacity)) return;
  const size = Math.max(1024, count);
  previous = new Int32Array(size);
  next = new Int32Array(size);
  heap = new Float64Array(3 * size);
}

/** The merges of a model: the result for each pair of adjacent tokens. */
export interface PairTable {
  /** The rank of the pair's merge, −1 if it has no merge. */
  find(left: number, right: number): number;
  /** The token that the merge of this rank produces. */
  mergedAt(rank: number): number;
  /** Adds a merge with the next rank. A later merge of the same pair wins. */
  add(left: number, right: number, merged: number): void;
}

/** Most lookups fail, and an emptier table fails faster. */
const load = 0.5;

/** Merges by rank, three numbers each, and an open-addressed hash table over their pairs. */
export function createPairTable(limit: number): PairTable {
  const { slots, entryBits } = createSlots(limit, load);
  const mask = slots.length - 1;
  const merges = new Int32Array(3 * limit);
  let count = 0;

  /** The slot of a pair, or the free slot for it. */
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
