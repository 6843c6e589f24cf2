import { largestOf, weightsInto, type Candidates } from './candidates.ts';
import { weightScratch } from './scratch.ts';

/**
 * Draws a token with the probability of its candidate, by inverting the cumulative distribution in token order.
 *
 * @param uniform in [0, 1), as `Rng.next()` gives it
 * @returns the token id
 * @throws RangeError without candidates
 *
 * @example
 * ```ts
 * drawToken(candidatesFrom([0.25, 0.75], { as: 'probabilities' }), 0.3); // 1
 * ```
 */
export function drawToken(candidates: Candidates, uniform: number): number {
  const { tokens, size } = candidates;
  if (size === 0) throw new RangeError('candidates: expected at least one, got 0');
  if (size === 1) return tokens[0]!;
  const weights = weightScratch(size);
  const goal = uniform * weightsInto(weights, candidates, largestOf(candidates));
  return tokens[placeExceeding(weights, size, goal)]!;
}

/** The first place at which the running sum exceeds the goal. */
function placeExceeding(weights: Float64Array, size: number, goal: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) {
    sum += weights[i]!;
    if (sum > goal) return i;
  }
  // The goal was rounded up to the total: the last that can be drawn at all.
  let place = size - 1;
  while (weights[place] === 0) place--;
  return place;
}
