import { decayReach, decayWithin } from '../sampling/decay.ts';

/** A token and the natural logarithm of its probability. */
export interface LikeliestToken {
  readonly id: number;
  readonly logprob: number;
}

/** The most likely token; the lower id wins ties. */
export function likeliestToken(logits: Float32Array): LikeliestToken {
  const id = indexOfLargest(logits);
  return { id, logprob: -Math.log(weightOfAll(logits, logits[id]!)) };
}

/** The sum of exp(logit − largest). As a separate function the loop takes half the time: see `candidates.ts`. */
function weightOfAll(logits: Float32Array, largest: number): number {
  let sum = 0;
  for (let at = 0; at < logits.length; at++) {
    const below = largest - logits[at]!;
    // A smaller weight doesn't change the sum, which includes the 1 of the largest.
    if (below < decayReach) sum += decayWithin(below);
  }
  return sum;
}

/** The index of the largest value; the first one wins ties. */
export function indexOfLargest(values: Float32Array): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) if (values[at]! > values[best]!) best = at;
  return best;
}
