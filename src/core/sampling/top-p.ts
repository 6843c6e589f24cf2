import { assertNumber } from './assert.ts';
import { largestOf, type Candidates } from './candidates.ts';
import { keepLargestShare, massTolerance } from './nearest.ts';
import { weightScratch } from './scratch.ts';

/**
 * Nucleus sampling: keeps the most likely candidates that together reach probability `p`.
 *
 * Holtzman et al., The Curious Case of Neural Text Degeneration, arXiv:1904.09751.
 *
 * @param candidates mutated; at least one stays
 * @param p 1 or above keeps all
 * @throws TypeError for a `p` that is no number
 *
 * @example
 * ```ts
 * applyTopP(candidatesFrom([0.1, 0.2, 0.3, 0.4], { as: 'probabilities' }), 0.7).size; // 2
 * ```
 */
export function applyTopP(candidates: Candidates, p: number): Candidates {
  assertNumber('topP', p);
  const { size } = candidates;
  if (p >= 1 || size <= 1) return candidates;
  return keepLargestShare(candidates, weightScratch(size), largestOf(candidates), p * (1 - massTolerance));
}
