import { assertNames } from '../assert-names.ts';
import { assertNumbers } from '../assert-values.ts';
import { assertToken, createScratch, weightScratch } from './scratch.ts';
import {
  candidatesInto,
  createCandidates,
  maxOf,
  positionOf,
  weightsInto,
  type Candidates,
} from './candidates.ts';
import { roomFor, topKInto } from './top-k.ts';

/** A token and the natural logarithm of its probability, −∞ for a token that the model excludes. */
export interface TokenLogProbability {
  readonly token: number;
  readonly logProbability: number;
}

/** The log probabilities of one position. */
export interface TokenLogProbabilities extends TokenLogProbability {
  /** The most likely tokens, descending; of equals the lower token first. */
  readonly top: readonly TokenLogProbability[];
}

const all = createScratch(createCandidates);
const best = createScratch(createCandidates);

/**
 * The model's own probability of a token, before any sampler: log-softmax over the raw logits.
 *
 * @param logits one for each token of the vocabulary; not mutated
 * @param token the token that was chosen
 * @param options `top`: how many of the most likely tokens to list
 * @returns the token's log probability and the most likely tokens; fewer than `top` when fewer can be drawn
 * @throws RangeError for a token outside of the vocabulary, an invalid `top`, or logits without a token to draw
 *
 * @example
 * ```ts
 * logProbabilitiesOf(new Float32Array([0, 0]), 1, { top: 1 });
 * // { token: 1, logProbability: -0.693…, top: [{ token: 0, logProbability: -0.693… }] }
 * ```
 */
export function logProbabilitiesOf(
  logits: ArrayLike<number>,
  token: number,
  options: { readonly top?: number } = {},
): TokenLogProbabilities {
  assertNames('logProbabilitiesOf', options, ['top']);
  assertNumbers('logits', logits);
  const { top = 0 } = options;
  assertToken('token', token, logits.length);
  if (!Number.isInteger(top) || top < 0) throw new RangeError(`top: expected a count, got ${top}`);
  const candidates = candidatesInto(all(logits.length), logits);
  if (candidates.size === 0) throw new RangeError('logits: expected at least one above -Infinity');
  const largest = maxOf(candidates);
  const normalizer = largest + Math.log(weightsInto(weightScratch(candidates.size), candidates, largest));
  const position = positionOf(candidates, token);
  return {
    token,
    logProbability: position < 0 ? -Infinity : candidates.logits[position]! - normalizer,
    top: top === 0 ? [] : likeliest(candidates, top, normalizer),
  };
}

function likeliest(candidates: Candidates, count: number, normalizer: number): TokenLogProbability[] {
  const { tokens, logits, size } = topKInto(best(roomFor(count)), candidates, count);
  return Array.from(logits.subarray(0, size), (logit, i) => ({
    token: tokens[i]!,
    logProbability: logit - normalizer,
  })).sort((a, b) => b.logProbability - a.logProbability || a.token - b.token);
}
