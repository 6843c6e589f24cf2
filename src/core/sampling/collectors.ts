import { createCandidates, justBelow, type Candidates } from './candidates.ts';
import type { Collector, LogitSample } from './scan.ts';
import { selectDescending } from './select.ts';
import { keepLargest, spareSamples } from './top-k.ts';

/** For temperature 0: the first of the largest. */
export function createLargestCollector(): Collector {
  let candidates = none;
  return {
    threshold: -Infinity,
    reset(target) {
      candidates = emptied(target);
      this.threshold = -Infinity;
    },
    learn(sample) {
      this.threshold = justBelow(largestIn(sample));
    },
    isComplete: () => true,
    add(token, logit) {
      candidates.size = 0;
      append(candidates, token, logit);
      this.threshold = logit;
    },
  };
}

/**
 * For `applyMinP`. It gives up, with a threshold of infinity, where so many logits are near the largest that reading
 * all of them into candidates is the quicker way.
 */
export function createMinPCollector(p: number): Collector & { largest: number } {
  const offset = Math.log(p);
  let candidates = none;
  let room = 0;
  return {
    threshold: -Infinity,
    largest: -Infinity,
    reset(target) {
      candidates = emptied(target);
      room = Math.max(1024, target.tokens.length >> 4);
      this.largest = -Infinity;
      this.threshold = -Infinity;
    },
    learn(sample) {
      this.threshold = justBelow(largestIn(sample) + offset);
    },
    isComplete() {
      return this.threshold < Infinity;
    },
    add(token, logit) {
      if (candidates.size === room) {
        this.threshold = Infinity;
        return;
      }
      append(candidates, token, logit);
      if (logit > this.largest) {
        this.largest = logit;
        this.threshold = Math.max(this.threshold, justBelow(logit + offset));
      }
    },
  };
}

/**
 * For `applyTopK`. It begins with a threshold that a sample shows some more than `k` to be above, and gives up where fewer
 * were, or where it had to cut back too often.
 */
export function createTopKCollector(k: number): Collector {
  // Not much more than k: the sooner it is cut back, the fewer of the rest are above the threshold.
  const room = Math.max(64, 2 * k);
  let candidates = none;
  let cuts = 0;
  let guess = -Infinity;
  return {
    threshold: -Infinity,
    reset(target) {
      candidates = emptied(target);
      cuts = 0;
      this.threshold = guess = -Infinity;
    },
    learn({ values, size, stride }) {
      const rank = Math.ceil((2 * k) / stride) + spareSamples;
      if (rank < size) this.threshold = guess = justBelow(selectDescending(values, size, rank));
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

/** −∞ without samples. */
function largestIn({ values, size }: LogitSample): number {
  let largest = -Infinity;
  for (let i = 0; i < size; i++) if (values[i]! > largest) largest = values[i]!;
  return largest;
}

const none = createCandidates(0);

function emptied(candidates: Candidates): Candidates {
  candidates.size = 0;
  return candidates;
}

function append(candidates: Candidates, token: number, logit: number): void {
  candidates.tokens[candidates.size] = token;
  candidates.logits[candidates.size++] = logit;
}
