import { assertNumber } from './assert.ts';
import { keepFrom, largestOf, type Candidates } from './candidates.ts';
import { applyTopK } from './top-k.ts';

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
export function applyMinP(candidates: Candidates, p: number): Candidates {
  assertNumber('minP', p);
  if (p <= 0) return candidates;
  if (p > 1) return applyTopK(candidates, 1);
  return keepFrom(candidates, largestOf(candidates) + Math.log(p));
}
