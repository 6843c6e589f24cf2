import { assertNumber } from './assert.ts';
import { createCandidates, justBelow, type Candidates } from './candidates.ts';
import { createScratch, valueScratch } from './scratch.ts';
import { selectDescending } from './select.ts';
import { sortDescendingInto } from './sort.ts';

/**
 * Keeps the `k` most likely candidates; of equals the ones with the lower token id.
 *
 * Fan et al., Hierarchical Neural Story Generation, arXiv:1805.04833 §5.
 *
 * @param candidates mutated
 * @param k 0 or below keeps all
 * @throws TypeError for a `k` that is no number
 *
 * @example
 * ```ts
 * applyTopK(candidatesFrom([1, 4, 3, 4]), 2).tokens.subarray(0, 2); // [1, 3]
 * ```
 */
export function applyTopK(candidates: Candidates, k: number): Candidates {
  assertNumber('topK', k);
  return k <= 0 || k >= candidates.size ? candidates : topKInto(candidates, candidates, k);
}

/**
 * `applyTopK` that leaves `source` alone unless it is `target` itself.
 *
 * @param target room for as many candidates as `source` has, or `roomFor(k)`
 * @param k at least 1
 */
export function topKInto(target: Candidates, source: Candidates, k: number): Candidates {
  const lowest = source.size > 4 * roomFor(k) ? likelyBound(source, k) : -Infinity;
  target.size = gatherLargest(target, source, k, countAbove(source, lowest) < k ? -Infinity : lowest);
  if (target.size > k) keepLargest(target, k);
  return target;
}

function gatherLargest(target: Candidates, source: Candidates, k: number, lowest: number): number {
  const { tokens, logits, size } = source;
  const { tokens: keptTokens, logits: keptLogits } = target;
  const room = roomFor(k);
  let threshold = lowest;
  let kept = 0;
  for (let i = 0; i < size; i++) {
    const logit = logits[i]!;
    if (logit > threshold) {
      keptTokens[kept] = tokens[i]!;
      keptLogits[kept++] = logit;
      if (kept === room) {
        target.size = kept;
        threshold = keepLargest(target, k);
        kept = target.size;
      }
    }
  }
  return kept;
}

/** A bound that, by a sample, about twice `k` logits are above; for more than four times `roomFor(k)` candidates. */
export function likelyBound({ logits, size }: Candidates, k: number): number {
  const count = roomFor(k);
  const values = valueScratch(size);
  const stride = Math.floor(size / count);
  for (let i = 0; i < count; i++) values[i] = logits[i * stride]!;
  return justBelow(selectDescending(values, count, Math.ceil((2 * k) / stride) + spareSamples));
}

/** Extra samples above the threshold. With them, the chance that fewer than k candidates pass is below one in a hundred. */
export const spareSamples = 1;

function countAbove({ logits, size }: Candidates, bound: number): number {
  const fours = size - (size % 4);
  let count = countByFours(logits, fours, bound);
  for (let i = fours; i < size; i++) count += Number(logits[i]! > bound);
  return count;
}

function countByFours(logits: Float64Array, end: number, bound: number): number {
  let count = 0;
  for (let i = 0; i < end; i += 4) {
    count += Number(logits[i]! > bound) + Number(logits[i + 1]! > bound);
    count += Number(logits[i + 2]! > bound) + Number(logits[i + 3]! > bound);
  }
  return count;
}

/**
 * Number of candidates to gather before they are cut back to `k`: enough that cutting is rare, so that even
 * ascending logits take linear time.
 */
export function roomFor(k: number): number {
  return Math.max(1024, 4 * k);
}

/**
 * Cuts more than `k` candidates back to the `k` largest, the first of equals.
 *
 * @returns the lowest logit kept; a later candidate has to be above it to be one of the `k` largest
 */
export function keepLargest(candidates: Candidates, k: number): number {
  const { logits, size } = candidates;
  const values = valueScratch(size);
  for (let i = 0; i < size; i++) values[i] = logits[i]!;
  const lowest = selectDescending(values, size, k - 1);
  let above = 0;
  for (let i = 0; i < size; i++) above += Number(logits[i]! > lowest);
  keepAbove(candidates, lowest, k - above);
  return lowest;
}

/** Keeps the candidates above a logit and the first `equals` of those that have just that. */
export function keepAbove(candidates: Candidates, lowest: number, equals: number): Candidates {
  candidates.size = moveUp(candidates, lowest, equals);
  return candidates;
}

function moveUp({ tokens, logits, size }: Candidates, lowest: number, equals: number): number {
  let left = equals;
  let kept = 0;
  for (let i = 0; i < size; i++) {
    const logit = logits[i]!;
    tokens[kept] = tokens[i]!;
    logits[kept] = logit;
    if (logit === lowest) kept += Number(left-- > 0);
    else kept += Number(logit > lowest); // no branch, which would often be guessed wrong
  }
  return kept;
}

const largestScratch = createScratch(createCandidates);

/**
 * Writes the `k` largest logits, descending.
 *
 * @param sorted room for `k`
 * @returns how many there are
 */
export function sortedLargest(sorted: Float64Array, candidates: Candidates, k: number): number {
  const { logits, size } = topKInto(largestScratch(roomFor(k)), candidates, k);
  sortDescendingInto(sorted, logits, size);
  return size;
}
