import type { SamplingParameters } from '../parameters/sampling.ts';
import { withinRange, type Candidates } from './candidates.ts';
import { decay } from './decay.ts';
import { keepNearest, massTolerance } from './nearest.ts';
import { keepAbove } from './top-k.ts';

/** Number of largest logits that `LargestLogits` brings from a device: 2 KB. */
export const largestLogitsCount = 256;

/** The largest logits of a vocabulary, and the weight of all of them: most samplers need no more. */
export interface LargestLogits {
  /** Token ids, by descending logits. */
  readonly tokens: Int32Array;
  /** Above all other logits, but for equals of the last one. */
  readonly logits: Float32Array;
  /** The sum of exp(logit − largest logit) over the whole vocabulary, to 1e-4 of it. */
  readonly mass: number;
}

/** Largest error of the mass. */
const deviceTolerance = 1e-4;

type LargestParameters = SamplingParameters & { readonly logitBias: { readonly length: number } };

/**
 * Whether a request's samplers need every logit at every step. The others choose by the largest ones alone at most steps:
 * greedy requests, and those in which top k, top p or min p is the first sampler that drops tokens. Penalties may only
 * lower logits: one that raises them could make any token the likeliest.
 */
export function needsAllLogits({
  temperature,
  topK,
  topP,
  minP,
  typicalP,
  tfsZ,
  topNSigma,
  mirostatMode,
  repeatPenalty,
  frequencyPenalty,
  presencePenalty,
  dryMultiplier,
  logitBias,
}: LargestParameters): boolean {
  if (logitBias.length > 0 || repeatPenalty < 1 || frequencyPenalty < 0 || presencePenalty < 0) return true;
  if (temperature === 0) return false;
  if (mirostatMode !== 0 || topNSigma > 0) return true;
  if (topK > 0) return topK > largestLogitsCount;
  if (tfsZ < 1 || typicalP < 1) return true;
  // It may lower tokens anywhere, and so the mass of all.
  if (topP < 1) return dryMultiplier > 0;
  return minP === 0;
}

/**
 * Makes candidates of the largest logits, by ascending token.
 *
 * @param order room for as many numbers as there are logits
 * @returns whether they can be used: not where a logit of any token is infinite or no number
 */
export function largestInto(candidates: Candidates, largest: LargestLogits, order: Float64Array): boolean {
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

/** The bound above which all tokens are among the largest. */
export function floorOf({ tokens, logits }: LargestLogits, vocabularySize: number): number {
  return tokens.length < vocabularySize ? logits.at(-1)! : -Infinity;
}

/** Parts of the largest logits' weight, as multiples of the weight of the likeliest token after penalties. */
export interface NucleusOptions {
  readonly largest: LargestLogits;
  readonly floor: number;
  readonly topP: number;
  readonly vocabularySize: number;
  /** Largest number of lowered tokens outside the largest ones. */
  readonly lowered: number;
}

/**
 * `applyTopP` on the largest logits alone, where the tolerance of the mass can't change what it keeps.
 *
 * @param candidates all of the largest after penalties, also those that these brought below the floor; mutated
 * @param scratch room for as many
 * @returns whether it is sure; otherwise `candidates` is of no use
 */
export function applyTopPToLargest(
  candidates: Candidates,
  scratch: Candidates,
  weights: Float64Array,
  { largest, floor, topP, vocabularySize, lowered }: NucleusOptions,
): boolean {
  const { logits } = candidates;
  let center = -Infinity;
  for (let i = 0; i < candidates.size; i++) center = Math.max(center, logits[i]!);
  let known = 0;
  for (let i = 0; i < candidates.size; i++) known += decay(center - logits[i]!);
  let before = 0;
  for (let i = 0; i < largest.logits.length; i++) before += Math.exp(largest.logits[i]! - center);
  const all = largest.mass * Math.exp(largest.logits[0]! - center);
  const atFloor = Math.exp(floor - center);
  const rest = all - before;
  const others = vocabularySize - largest.tokens.length;
  const most = Math.max(0, Math.min(rest + all * deviceTolerance, others * atFloor));
  const least = Math.min(most, Math.max(0, rest - all * deviceTolerance - lowered * atFloor));
  const share = topP * (1 - massTolerance);
  const lowGoal = share * (known + least) * (1 - rounding);
  const highGoal = share * (known + most) * (1 + rounding);
  keepAbove(candidates, floor, 0);
  let mass = 0;
  for (let i = 0; i < candidates.size; i++) {
    weights[i] = decay(center - logits[i]!);
    mass += weights[i]!;
  }
  if (candidates.size === 0 || !(mass >= highGoal)) return false;
  scratch.size = candidates.size;
  scratch.tokens.set(candidates.tokens.subarray(0, candidates.size));
  scratch.logits.set(candidates.logits.subarray(0, candidates.size));
  const { size } = keepNearest(scratch, weights, center, highGoal);
  return keepNearest(candidates, weights, center, lowGoal).size === size;
}

/** Error bound of sums in another order. */
const rounding = 1e-9;
