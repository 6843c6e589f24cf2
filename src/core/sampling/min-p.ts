import { justBelow, keepFrom, maxOf, type Candidates, checkedStep } from './candidates.ts';
import { defineSampler } from './definition.ts';
import { stepOnLargest } from './largest-logits.ts';
import { append, type Collector } from './scan.ts';
import { keepTopK } from './top-k.ts';

export const minPSampler = defineSampler({
  parameters: {
    minP: {
      type: 'float',
      min: 0,
      max: 1,
      default: 0.05,
      step: 0.01,
      section: 'advanced',
      description: 'Minimum probability relative to the most likely token; 0 disables.',
    },
  },
  neutral: { minP: 0 },
  create({ minP: p }) {
    const apply = (candidates: Candidates): Candidates => keepMinP(candidates, p);
    const isSure = (candidates: Candidates, floor: number): boolean =>
      maxOf(candidates) + offsetOf(p) > floor;
    return { apply, collector: createMinPCollector(p), onLargest: stepOnLargest(apply, isSure) };
  },
});

/**
 * Keeps the candidates that are at least `p` times as likely as the most likely one. Needs no softmax: that is a bound
 * on the logits, `largest + ln p`.
 *
 * Nguyen et al., Turning Up the Heat: Min-p Sampling, arXiv:2407.01082.
 *
 * @param candidates mutated; at least one stays
 * @param p 0 or below keeps all; 1 keeps the most likely and its equals, more the first of them
 * @throws TypeError for a `p` that is no number
 *
 * @example
 * ```ts
 * applyMinP(candidatesFrom([0.6, 0.3, 0.1], { as: 'probabilities' }), 0.4).size; // 2
 * ```
 */
export const applyMinP = checkedStep('minP', keepMinP);

function keepMinP(candidates: Candidates, p: number): Candidates {
  if (p <= 0) return candidates;
  if (p > 1) return keepTopK(candidates, 1);
  return keepFrom(candidates, maxOf(candidates) + offsetOf(p));
}

/** The logarithm of p, less a tolerance: its last bits must not separate candidates that are equally likely. */
const offsetOf = (p: number): number => Math.log(p) - 1e-12;

/**
 * For `applyMinP`. It stops, with a threshold of infinity, if too many logits are near the largest: reading all of them into
 * candidates is then faster.
 */
function createMinPCollector(p: number): Collector & { largest: number } {
  const offset = offsetOf(p);
  let candidates!: Candidates;
  let room = 0;
  return {
    threshold: -Infinity,
    largest: -Infinity,
    reset(target) {
      candidates = target;
      room = Math.max(1024, target.tokens.length >> 4);
      this.largest = -Infinity;
      this.threshold = -Infinity;
    },
    learn(sample) {
      this.threshold = justBelow(maxOf(sample) + offset);
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
