import type { PairTable } from '../pair-table.ts';
import { keptCapacity, type Symbols } from './symbols.ts';

/** Up to here, looking at all pairs for each merge beats the heap. */
const mostScanned = 40;

const ranks = new Int32Array(mostScanned);

/**
 * Byte-pair encoding: merges neighbours, the pair with the lowest rank first, of equals the leftmost, until no pair can
 * be merged.
 *
 * Short words take quadratic time with a small factor, long ones O(n log n).
 *
 * @see https://www.aclweb.org/anthology/P16-1162/
 */
export function mergeSymbols(symbols: Symbols, pairs: PairTable): void {
  if (symbols.count < 2) return;
  if (symbols.count <= mostScanned) mergeByScan(symbols, pairs);
  else mergeByHeap(symbols, pairs);
}

const noRank = 0x7f_ff_ff_ff;

function rankOf(ids: Int32Array, at: number, count: number, pairs: PairTable): number {
  if (at < 0 || at + 1 >= count) return noRank;
  const place = pairs.find(ids[at]!, ids[at + 1]!);
  return place === -1 ? noRank : pairs.rankAt(place);
}

function mergeByScan(symbols: Symbols, pairs: PairTable): void {
  const { ids, lengths } = symbols;
  let { count } = symbols;
  for (let at = 0; at < count; at++) ranks[at] = rankOf(ids, at, count, pairs);
  for (;;) {
    let best = 0;
    let lowest = ranks[0]!;
    for (let at = 1; at < count - 1; at++) {
      if (ranks[at]! < lowest) {
        lowest = ranks[at]!;
        best = at;
      }
    }
    if (lowest === noRank) break;
    ids[best] = pairs.mergedAt(pairs.find(ids[best]!, ids[best + 1]!));
    lengths[best]! += lengths[best + 1]!;
    count--;
    for (let at = best + 1; at < count; at++) {
      ids[at] = ids[at + 1]!;
      lengths[at] = lengths[at + 1]!;
      ranks[at] = ranks[at + 1]!;
    }
    ranks[best] = rankOf(ids, best, count, pairs);
    if (best > 0) ranks[best - 1] = rankOf(ids, best - 1, count, pairs);
  }
  symbols.count = count;
}

/** Candidates are numbers that sort by rank, then by position. */
const rankUnit = 2 ** 27;

let heap = new Float64Array(3 * 1024);
let heapSize = 0;
let previous = new Int32Array(1024);
let next = new Int32Array(1024);

function mergeByHeap(symbols: Symbols, pairs: PairTable): void {
  const { ids, lengths, count } = symbols;
  if (count >= rankUnit) throw new RangeError('text: a word is too long');
  reserve(count);
  heapSize = 0;
  for (let at = 0; at < count; at++) {
    previous[at] = at - 1;
    next[at] = at + 1;
    const rank = rankOf(ids, at, count, pairs);
    if (rank !== noRank) heap[heapSize++] = rank * rankUnit + at;
  }
  for (let at = (heapSize - 2) >> 2; at >= 0; at--) siftDown(at);
  while (heapSize > 0) {
    const top = heap[0]!;
    heap[0] = heap[--heapSize]!;
    siftDown(0);
    const at = top % rankUnit;
    const rank = (top - at) / rankUnit;
    const right = next[at]!;
    if (lengths[at] === 0 || right >= count) continue;
    const place = pairs.find(ids[at]!, ids[right]!);
    // A merge nearby has changed the pair since it was put down.
    if (place === -1 || pairs.rankAt(place) !== rank) continue;
    ids[at] = pairs.mergedAt(place);
    lengths[at]! += lengths[right]!;
    lengths[right] = 0;
    const after = next[right]!;
    next[at] = after;
    if (after < count) {
      previous[after] = at;
      offer(ids, at, after, pairs);
    }
    if (previous[at]! >= 0) offer(ids, previous[at]!, at, pairs);
  }
  let kept = 0;
  for (let at = 0; at < count; at = next[at]!) {
    ids[kept] = ids[at]!;
    lengths[kept++] = lengths[at]!;
  }
  symbols.count = kept;
}

function offer(ids: Int32Array, left: number, right: number, pairs: PairTable): void {
  const place = pairs.find(ids[left]!, ids[right]!);
  if (place === -1) return;
  const candidate = pairs.rankAt(place) * rankUnit + left;
  let at = heapSize++;
  while (at > 0) {
    const parent = (at - 1) >> 2;
    if (heap[parent]! <= candidate) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = candidate;
}

function siftDown(from: number): void {
  if (from >= heapSize) return;
  const candidate = heap[from]!;
  let at = from;
  for (;;) {
    const first = 4 * at + 1;
    if (first >= heapSize) break;
    const last = Math.min(first + 4, heapSize);
    let smallest = first;
    for (let child = first + 1; child < last; child++) if (heap[child]! < heap[smallest]!) smallest = child;
    if (heap[smallest]! >= candidate) break;
    heap[at] = heap[smallest]!;
    at = smallest;
  }
  heap[at] = candidate;
}

/** Every merge takes one candidate away and puts down two at most. */
function reserve(count: number): void {
  const roomy = next.length;
  if (count <= roomy && (roomy <= keptCapacity || count > keptCapacity)) return;
  const size = Math.max(1024, count);
  previous = new Int32Array(size);
  next = new Int32Array(size);
  heap = new Float64Array(3 * size);
}
