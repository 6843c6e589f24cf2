import { decayReach, decayWithin } from '../sampling/decay.ts';

/** A token and the natural logarithm of its probability. */
export interface LikeliestToken {
  readonly id: number;
  readonly logprob: number;
}

/** The most likely token; of equals the lower one. */
export function likeliestToken(logits: Float32Array): LikeliestToken {
  const id = indexOfLargest(logits);
  return { id, logprob: -Math.log(weightOfAll(logits, logits[id]!)) };
}

/** The sum of exp(logit − largest). A loop with a function to itself takes half as long: see `candidates.ts`. */
function weightOfAll(logits: Float32Array, largest: number): number {
  let sum = 0;
  for (let at = 0; at < logits.length; at++) {
    const below = largest - logits[at]!;
    // Less is nothing beside the 1 of the largest.
    if (below < decayReach) sum += decayWithin(below);
  }
  return sum;
}

/** The place of the largest value; of equals the first one. */
export function indexOfLargest(values: Float32Array): number {
  let best = 0;
  for (let at = 1; at < values.length; at++) if (values[at]! > values[best]!) best = at;
  return best;
}
