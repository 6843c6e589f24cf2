import type { Candidates } from './candidates.ts';
import { decay, decayReach, decayWithin } from './decay.ts';

/**
 * Writes exp(logit − largest) of each candidate, as `weightsInto` does, and sums weight × distance below the largest in the same
 * pass. That moment over the sum of weights, plus its logarithm, is the entropy.
 */
export function weightsAndMoment(
  weights: Float64Array,
  { logits, size }: Candidates,
  largest: number,
): { readonly total: number; readonly moment: number } {
  const fours = size - (size % 4);
  sums.total = 0;
  sums.moment = 0;
  sumByFours(weights, logits, fours, largest);
  sumEach(weights, logits, fours, size, largest);
  return sums;
}

const sums = { total: 0, moment: 0 };

function sumByFours(weights: Float64Array, logits: Float64Array, end: number, largest: number): void {
  let total = 0;
  let moment = 0;
  for (let i = 0; i < end; i += 4) {
    const a = largest - logits[i]!;
    const b = largest - logits[i + 1]!;
    const c = largest - logits[i + 2]!;
    const d = largest - logits[i + 3]!;
    if (a < decayReach && b < decayReach && c < decayReach && d < decayReach) {
      const first = decayWithin(a);
      const second = decayWithin(b);
      const third = decayWithin(c);
      const fourth = decayWithin(d);
      weights[i] = first;
      weights[i + 1] = second;
      weights[i + 2] = third;
      weights[i + 3] = fourth;
      total += first + second + (third + fourth);
      moment += first * a + second * b + (third * c + fourth * d);
    } else sumEach(weights, logits, i, i + 4, largest);
  }
  sums.total += total;
  sums.moment += moment;
}

function sumEach(
  weights: Float64Array,
  logits: Float64Array,
  start: number,
  end: number,
  largest: number,
): void {
  for (let i = start; i < end; i++) {
    const distance = largest - logits[i]!;
    const weight = decay(distance);
    weights[i] = weight;
    sums.total += weight;
    sums.moment += weight * distance;
  }
}
