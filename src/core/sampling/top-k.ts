import { createScratch, valueScratch } from './scratch.ts';
import { createCandidates, justBelow, keepAbove, type Candidates, checkedStep } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { largestLogitsCount, largestStep } from './largest-logits.ts';
import { append, emptied, type Collector } from './scan.ts';
import { selectDescending, sortDescendingInto } from './sort.ts';

export const topKSampler = defineSampler({
  parameters: {
    topK: {
      type: 'int',
      min: 0,
      max: 500,
      default: 0,
      step: 1,
      section: 'advanced',
      description: 'Sample only from the K most likely tokens; 0 disables.',
    },
  },
  isOn: { topK: (k) => k > 0 },
  create({ topK: k }) {
    const apply = (candidates: Candidates): Candidates => keepTopK(candidates, k);
    const onLargest = largestStep(apply, ({ size }) => size >= k);
    return { apply, collector: createTopKCollector(k), ...(k > largestLogitsCount ? {} : { onLargest }) };
  },
});

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
export const applyTopK = checkedStep('topK', keepTopK);

/** `applyTopK` without its check. */
export function keepTopK(candidates: Candidates, k: number): Candidates {
  return k <= 0 || k >= candidates.size ? candidates : topKInto(candidates, candidates, k);
}

/**
 * For `applyTopK`. It begins with a threshold that a sample shows some more than `k` to be above, and gives up where fewer
 * were, or where it had to cut back too often.
 */
function createTopKCollector(k: number): Collector {
  // Not much more than k: the sooner it is cut back, the fewer of the rest are above the threshold.
  const room = Math.max(64, 2 * k);
  let candidates = createCandidates(0);
  let cuts = 0;
  let guess = -Infinity;
  return {
    threshold: -Infinity,
    reset(target) {
      candidates = emptied(target);
      cuts = 0;
      this.threshold = guess = -Infinity;
    },
    learn({ logits, size, stride }) {
      const rank = Math.ceil((2 * k) / stride) + spareSamples;
      if (rank < size) this.threshold = guess = justBelow(selectDescending(logits, size, rank));
    },
    isComplete() {
      return this.threshold < Infinity && (guess === -Infinity || candidates.size >= k);
    },
    add(token, logit) {
      append(candidates, token, logit);
      if (candidates.size < room) return;
      this.threshold = ++cuts < patience ? keepLargest(candidates, k) : Infinity;
    },
  };
}

const patience = 32;

/** `applyTopK` that leaves `source` alone unless it is `target` itself. */
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
function likelyBound({ logits, size }: Candidates, k: number): number {
  const count = roomFor(k);
  const values = valueScratch(size);
  const stride = Math.floor(size / count);
  for (let i = 0; i < count; i++) values[i] = logits[i * stride]!;
  return justBelow(selectDescending(values, count, Math.ceil((2 * k) / stride) + spareSamples));
}

/** Extra samples above the threshold. With them, the chance that fewer than k candidates pass is below one in a hundred. */
const spareSamples = 1;

function countAbove({ logits, size }: Candidates, bound: number): number {
  const fours = size - (size % 4);
  let count = 0;
  for (let i = 0; i < fours; i += 4) {
    count += Number(logits[i]! > bound) + Number(logits[i + 1]! > bound);
    count += Number(logits[i + 2]! > bound) + Number(logits[i + 3]! > bound);
  }
  for (let i = fours; i < size; i++) count += Number(logits[i]! > bound);
  return count;
}

/**
 * Number of candidates to gather before they are cut back to `k`: enough that cutting is rare, so that even
 * ascending logits take linear time.
 */
export function roomFor(k: number): number {
  return Math.max(1024, 4 * k);
}

/** Cuts more than `k` candidates back to the `k` largest, the first of equals. */
function keepLargest(candidates: Candidates, k: number): number {
  const { logits, size } = candidates;
  const values = valueScratch(size);
  for (let i = 0; i < size; i++) values[i] = logits[i]!;
  const lowest = selectDescending(values, size, k - 1);
  let above = 0;
  for (let i = 0; i < size; i++) above += Number(logits[i]! > lowest);
  keepAbove(candidates, lowest, k - above);
  return lowest;
}

const largestScratch = createScratch(createCandidates);

/** Writes the `k` largest logits, descending. */
export function sortedLargest(sorted: Float64Array, candidates: Candidates, k: number): number {
  const { logits, size } = topKInto(largestScratch(roomFor(k)), candidates, k);
  sortDescendingInto(sorted, logits, size);
  return size;
}
