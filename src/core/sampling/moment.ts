import type { Candidates } from './candidates.ts';

/** The sum of weight × distance below the largest logit. Over the sum of weights, and plus its logarithm, the entropy. */
export function momentOf(weights: Float64Array, { logits, size }: Candidates, largest: number): number {
  let sum = 0;
  for (let i = 0; i < size; i++) sum += weights[i]! * (largest - logits[i]!);
  return sum;
}
