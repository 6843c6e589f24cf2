import { keepAbove, withinRange, type Candidates } from './candidates.ts';

/** Number of largest logits that `LargestLogits` brings from a device: 2 KB. */
export const maxLogitCount = 256;

/** The largest logits of a vocabulary, and the weight of all of them: most samplers need no more. */
export interface LargestLogits {
  /** Token ids, by descending logits. */
  readonly tokens: Int32Array;
  /** Above every logit that isn't here, except equals of the last one. */
  readonly logits: Float32Array;
  /** The sum of exp(logit − largest logit) over the whole vocabulary, to 1e-4 of it. */
  readonly mass: number;
}

/** The largest logits of a step, before any penalty. */
export interface KnownLogits {
  readonly largest: LargestLogits;
  /** The logit above which all tokens are among the largest. */
  readonly floor: number;
  readonly vocabularySize: number;
  /** Most tokens that penalties have lowered, wherever they are. */
  readonly lowered: number;
}

/** The first sampler of a chain that drops tokens, as it decides by the largest logits alone. */
export interface LargestStep {
  /**
   * @param candidates all of the largest, after samplers that lower logits; invalid if the result is false
   * @returns whether it is sure to keep the same as of all logits
   */
  apply(candidates: Candidates, known: KnownLogits): boolean;
  /** Whether it relies on the mass of all logits, which samplers before it may change by few known tokens at most. */
  readonly usesMass?: boolean;
}

/** Makes candidates of the largest logits, by ascending token. */
export function selectLargest(candidates: Candidates, largest: LargestLogits, order: Float64Array): boolean {
  const { tokens, logits, mass } = largest;
  const { length } = tokens;
  if (!Number.isFinite(mass)) return false;
  for (let i = 0; i < length; i++) order[i] = tokens[i]! * length + i;
  order.subarray(0, length).sort();
  let size = 0;
  for (let i = 0; i < length; i++) {
    const place = order[i]! % length;
    const logit = logits[place]!;
    if (!(logit > -Infinity)) continue;
    candidates.tokens[size] = tokens[place]!;
    candidates.logits[size++] = withinRange(logit);
  }
  candidates.size = size;
  return true;
}

/** Drops the candidates that tokens outside of the largest ones may surpass, after penalties, which only lower logits. */
export function keepKnown(candidates: Candidates, floor: number): boolean {
  return keepAbove(candidates, floor, 0).size > 0;
}

/**
 * `apply` on the largest logits alone. @param isSure whether it keeps the same as of all logits, given the floor of the hidden
 * ones
 */
export function stepOnLargest(
  apply: (candidates: Candidates) => Candidates,
  isSure: (candidates: Candidates, floor: number) => boolean,
): LargestStep {
  return {
    apply(candidates, { floor }) {
      if (!keepKnown(candidates, floor) || (floor > -Infinity && !isSure(candidates, floor))) return false;
      apply(candidates);
      return true;
    },
  };
}
