import { weightsInto, type Candidates } from './candidates.ts';

/**
 * Writes exp(logit − largest) of each candidate, and sums weight × distance below the largest. That moment over the sum of
 * weights, plus its logarithm, is the entropy.
 */
export function weightsAndMoment(
  weights: Float64Array,
  candidates: Candidates,
  largest: number,
): { readonly total: number; readonly moment: number } {
  const { logits, size } = candidates;
  const total = weightsInto(weights, candidates, largest);
  let moment = 0;
  for (let i = 0; i < size; i++) moment += weights[i]! * (largest - logits[i]!);
  return { total, moment };
}
