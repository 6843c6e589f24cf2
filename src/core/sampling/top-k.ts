import { createScratch, valueScratch } from './scratch.ts';
import { createCandidates, justBelow, keepAbove, type Candidates, checkedStep } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { maxLogitCount, stepOnLargest } from './largest-logits.ts';
import { append, type Collector } from './scan.ts';
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
  neutral: { topK: 0 },
  create({ topK: k }) {
    const apply = (candidates: Candidates): Candidates => keepTopK(candidates, k);
    const onLargest = stepOnLargest(apply, ({ size }) => size >= k);
    return { apply, collector: createTopKCollector(k), ...(k > maxLogitCount ? {} : { onLargest }) };
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
 * For `applyTopK`. It begins with a threshold that a sample shows some more than `k` to be above, and stops if fewer were, or
 * after too many cuts.
 */
function createTopKCollector(k: number): Collector {
  // Not much more than k: the sooner it is cut back, the fewer of the rest are above the threshold.
  const room = Math.max(64, 2 * k);
  let candidates!: Candidates;
  let cuts = 0;
  let guess = -Infinity;
  return {
    threshold: -Infinity,
    reset(target) {
      candidates = target;
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
/** Extra samples above the threshold. With them, the chance that fewer than k candidates pass is below one in a hundred. */
const spareSamples = 1;

/** `applyTopK` that leaves its source alone unless that is `target` itself. */
export function topKInto(target: Candidates, { tokens, logits, size }: Candidates, k: number): Candidates {
  const room = roomFor(k);
  let threshold = -Infinity;
  target.size = 0;
  for (let i = 0; i < size; i++) {
    if (logits[i]! <= threshold) continue;
    append(target, tokens[i]!, logits[i]!);
    if (target.size === room) threshold = keepLargest(target, k);
  }
  if (target.size > k) keepLargest(target, k);
  return target;
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

const maxScratch = createScratch(createCandidates);

/** Writes the `k` largest logits, descending. */
export function sortedLargest(sorted: Float64Array, candidates: Candidates, k: number): number {
  const { logits, size } = topKInto(maxScratch(roomFor(k)), candidates, k);
  sortDescendingInto(sorted, logits, size);
  return size;
}
