import { lowerBound, assertNumber } from './scratch.ts';
import { assertArray, assertCount, assertNumbers, assertObject, assertOneOf } from '../assert-values.ts';
import { assertNames } from '../assert-names.ts';
import { decaysInto } from './decay.ts';

/** The largest finite float32: logits are held within ±this, so that no difference of two overflows. */
export const maxLogit = 2 ** 128 - 2 ** 104;

/**
 * Tokens that may still be drawn, with their logits. The first `size` entries of both arrays count; tokens ascend
 * strictly and logits are finite: a token that can't be drawn (NaN, −∞, masked) is not a candidate.
 *
 * The `apply…` functions are the one documented exception to "functions don't mutate their arguments": they
 * change `logits` or drop candidates in place, keep the order, and return the same object.
 */
export interface Candidates {
  /** Token ids. */
  readonly tokens: Int32Array;
  /** Natural-log scores, known up to a common constant. */
  readonly logits: Float64Array;
  size: number;
}

/**
 * Empty room for `capacity` candidates.
 *
 * @example
 * ```ts
 * const room = createCandidates(50_000); // for candidatesInto
 * ```
 */
export function createCandidates(capacity: number): Candidates {
  assertCount('capacity', capacity);
  return { tokens: new Int32Array(capacity), logits: new Float64Array(capacity), size: 0 };
}

/**
 * One candidate for each entry of a vocabulary that can be drawn.
 *
 * @param values one value for each token id. NaN counts as −∞; +∞ as the largest finite float32
 * @param options `as`: whether the values are logits (the default) or probabilities, which need not sum to 1
 * @throws RangeError for a negative probability
 *
 * @example
 * ```ts
 * probabilities(candidatesFrom([1, 1])); // [0.5, 0.5]
 * candidatesFrom([0.5, 0, 0.5], { as: 'probabilities' }).size; // 2
 * ```
 */
export function candidatesFrom(
  values: ArrayLike<number>,
  options: { readonly as?: 'logits' | 'probabilities' } = {},
): Candidates {
  assertNames('candidatesFrom', options, ['as']);
  assertNumbers('values', values);
  if (options.as !== undefined) assertOneOf('as', options.as, ['logits', 'probabilities']);
  const candidates = createCandidates(values.length);
  const logits = options.as === 'probabilities' ? Array.from(values, logarithmOf) : values;
  return candidatesInto(candidates, logits);
}

function logarithmOf(probability: number, token: number): number {
  if (probability < 0)
    throw new RangeError(`probabilities[${token}]: expected a value of at least 0, got ${probability}`);
  return Math.log(probability);
}

/**
 * `candidatesFrom` for logits, into room that is there already; allocates nothing.
 *
 * @param candidates overwritten; room for `logits.length` candidates
 * @param allow bit `t % 32` of word `t / 32` is set if token `t` may be drawn; default all
 * @throws RangeError when there is too little room or the mask is too short
 *
 * @example
 * ```ts
 * const room = createCandidates(3);
 * candidatesInto(room, [1, -Infinity, 2]).size; // 2
 * ```
 */
export function candidatesInto(
  candidates: Candidates,
  logits: ArrayLike<number>,
  allow?: Uint32Array,
): Candidates {
  assertCandidates(candidates);
  assertNumbers('logits', logits);
  const { tokens } = candidates;
  if (tokens.length < logits.length || candidates.logits.length < logits.length)
    throw new RangeError(`candidates: expected room for ${logits.length}, got ${tokens.length}`);
  if (allow !== undefined) return allowedInto(candidates, logits, allow);
  candidates.size = 0;
  const fours = logits.length - (logits.length % 4);
  appendByFours(candidates, logits, fours);
  appendDrawable(candidates, logits, fours, logits.length);
  return candidates;
}

/*
 * Here and in the other files, a loop over the vocabulary has a function to itself that ends with it: V8 replaces a
 * function within its first long loop, before it has seen what comes after, and would fall back there at every call.
 */

function appendByFours(candidates: Candidates, logits: ArrayLike<number>, end: number): void {
  const { tokens, logits: kept } = candidates;
  for (let token = 0; token < end; token += 4) {
    const a = logits[token]!;
    const b = logits[token + 1]!;
    const c = logits[token + 2]!;
    const d = logits[token + 3]!;
    // One comparison for four logits. NaN and infinities fail it.
    if (Math.abs(a) + Math.abs(b) + Math.abs(c) + Math.abs(d) <= maxLogit) {
      const { size } = candidates;
      tokens[size] = token;
      tokens[size + 1] = token + 1;
      tokens[size + 2] = token + 2;
      tokens[size + 3] = token + 3;
      kept[size] = a;
      kept[size + 1] = b;
      kept[size + 2] = c;
      kept[size + 3] = d;
      candidates.size = size + 4;
    } else appendDrawable(candidates, logits, token, token + 4);
  }
}

function appendDrawable(candidates: Candidates, logits: ArrayLike<number>, start: number, end: number): void {
  for (let token = start; token < end; token++) {
    const logit = logits[token]!;
    if (!(logit > -Infinity)) continue;
    candidates.tokens[candidates.size] = token;
    candidates.logits[candidates.size++] = withinRange(logit);
  }
}

function allowedInto(candidates: Candidates, logits: ArrayLike<number>, allow: Uint32Array): Candidates {
  assertMask(allow, logits.length);
  const words = Math.ceil(logits.length / 32);
  let size = 0;
  for (let word = 0; word < words; word++) {
    const bits = allow[word]!;
    if (bits === 0) continue;
    const end = Math.min(word * 32 + 32, logits.length);
    for (let token = word * 32; token < end; token++) {
      const logit = logits[token]!;
      if (((bits >>> (token & 31)) & 1) === 1 && logit > -Infinity) {
        candidates.tokens[size] = token;
        candidates.logits[size++] = withinRange(logit);
      }
    }
  }
  candidates.size = size;
  return candidates;
}

/** @throws TypeError or RangeError for anything but a mask of `length` tokens */
export function assertMask(allow: Uint32Array, length: number): void {
  assertArray('allow', allow, Uint32Array, { least: Math.ceil(length / 32) });
}

/**
 * The probability of each candidate, in their order: softmax over the logits.
 *
 * @returns `size` probabilities that sum to 1
 *
 * @example
 * ```ts
 * probabilities(applyTopK(candidatesFrom([0, 3, 3]), 2)); // [0.5, 0.5]
 * ```
 */
export function probabilities(candidates: Candidates): Float64Array {
  assertCandidates(candidates);
  const weights = new Float64Array(candidates.size);
  const total = weightsInto(weights, candidates, maxOf(candidates));
  return weights.map((weight) => weight / total);
}

/** The largest logit; −∞ if there are no candidates. */
export function maxOf({ logits, size }: Pick<Candidates, 'logits' | 'size'>): number {
  const fours = size - (size % 4);
  let largest = maxByFours(logits, fours);
  for (let i = fours; i < size; i++) if (logits[i]! > largest) largest = logits[i]!;
  return largest;
}

function maxByFours(logits: Float64Array, end: number): number {
  let first = -Infinity;
  let second = -Infinity;
  let third = -Infinity;
  let fourth = -Infinity;
  // Four maxima, so that ascending logits take no longer than random ones.
  for (let i = 0; i < end; i += 4) {
    const a = logits[i]!;
    const b = logits[i + 1]!;
    const c = logits[i + 2]!;
    const d = logits[i + 3]!;
    if (a > first) first = a;
    if (b > second) second = b;
    if (c > third) third = c;
    if (d > fourth) fourth = d;
  }
  return Math.max(first, second, third, fourth);
}

/** Writes exp(logit − largest) of each candidate and returns the sum. */
export function weightsInto(weights: Float64Array, { logits, size }: Candidates, largest: number): number {
  return decaysInto(weights, logits, 0, size, largest);
}

/** Keeps candidates of at least this logit. */
export function keepFrom(candidates: Candidates, lowest: number): Candidates {
  const { tokens, logits, size } = candidates;
  const fours = size - (size % 4);
  let kept = 0;
  // Four at a time takes half as long; a branch would often be guessed wrong.
  for (let i = 0; i < fours; i += 4) {
    const a = logits[i]!;
    const b = logits[i + 1]!;
    const c = logits[i + 2]!;
    const d = logits[i + 3]!;
    const second = tokens[i + 1]!;
    const third = tokens[i + 2]!;
    const fourth = tokens[i + 3]!;
    tokens[kept] = tokens[i]!;
    logits[kept] = a;
    kept += Number(a >= lowest);
    tokens[kept] = second;
    logits[kept] = b;
    kept += Number(b >= lowest);
    tokens[kept] = third;
    logits[kept] = c;
    kept += Number(c >= lowest);
    tokens[kept] = fourth;
    logits[kept] = d;
    kept += Number(d >= lowest);
  }
  for (let i = fours; i < size; i++) {
    const logit = logits[i]!;
    tokens[kept] = tokens[i]!;
    logits[kept] = logit;
    kept += Number(logit >= lowest);
  }
  candidates.size = kept;
  return candidates;
}

/** Index of a token among the candidates, or −1. */
export function positionOf({ tokens, size }: Candidates, token: number): number {
  if (token < size && tokens[token] === token) return token; // As if no token were masked.
  const place = lowerBound(tokens, token, size);
  return place < size && tokens[place] === token ? place : -1;
}

/** Brings a logit that is not −∞ or NaN within ±`maxLogit`. */
export function withinRange(logit: number): number {
  return logit > maxLogit ? maxLogit : logit < -maxLogit ? -maxLogit : logit;
}

/** A little less than x, so that "above" takes in x itself. */
export function justBelow(x: number): number {
  return x - Math.abs(x) * 2 ** -50 - Number.MIN_VALUE;
}

/** Keeps the candidates above a logit and the first `equals` candidates that equal it. */
export function keepAbove(candidates: Candidates, lowest: number, equals: number): Candidates {
  const { tokens, logits, size } = candidates;
  let left = equals;
  let kept = 0;
  for (let i = 0; i < size; i++) {
    const logit = logits[i]!;
    tokens[kept] = tokens[i]!;
    logits[kept] = logit;
    if (logit === lowest) kept += Number(left-- > 0);
    else kept += Number(logit > lowest); // no branch, which would often be guessed wrong
  }
  candidates.size = kept;
  return candidates;
}

/** @throws TypeError or RangeError for anything but candidates */
export function assertCandidates(candidates: Candidates): void {
  assertObject('candidates', candidates);
  const { tokens, logits, size } = candidates;
  assertArray('candidates.tokens', tokens, Int32Array);
  assertArray('candidates.logits', logits, Float64Array);
  assertCount('candidates.size', size, { max: Math.min(tokens.length, logits.length) });
}

/** A step with one number, which checks its arguments, for callers outside of a sampler. */
export function checkedStep(
  label: string,
  apply: (candidates: Candidates, value: number) => Candidates,
): typeof apply {
  return (candidates, value) => {
    assertCandidates(candidates);
    assertNumber(label, value);
    return apply(candidates, value);
  };
}
