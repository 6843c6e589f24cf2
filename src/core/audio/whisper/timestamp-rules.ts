import { assertArray, assertCount, assertObject, assertTokens } from '../../assert-values.ts';
import { indexOfLargest } from '../likeliest-token.ts';
import type { TimestampVocabulary } from './timestamps.ts';

/** The properties of model and window that `applyTimestampRules` needs. */
export interface TimestampRules extends TimestampVocabulary {
  /** `<|notimestamps|>`, which is never chosen. */
  readonly noTimestamps: number;
  /** The last position that a window may begin with; 50 for one second. */
  readonly maxInitialPosition: number | undefined;
}

/**
 * Enforces the rules of Whisper's timestamps: they enclose text in pairs, never decrease, a segment isn't empty, a
 * window begins with a timestamp, and if all timestamps together are likelier than the likeliest text token, a
 * timestamp must follow.
 *
 * @param logits one for each token of the vocabulary; mutated, −∞ for forbidden tokens
 * @param generated tokens of this window so far, without the prefix
 * @see https://arxiv.org/abs/2212.04356 section 2.3, and `ApplyTimestampRules` of its reference implementation
 *
 * @example
 * ```ts
 * // <|endoftext|>, <|notimestamps|>, <|0.00|>, <|0.02|>, <|0.04|>
 * const logits = new Float32Array(5);
 * applyTimestampRules(logits, [], { endOfText: 0, noTimestamps: 1, timestampBegin: 2, maxInitialPosition: 1 });
 * logits; // [-Infinity, -Infinity, 0, 0, -Infinity]
 * ```
 */
export function applyTimestampRules(
  logits: Float32Array,
  generated: readonly number[],
  rules: TimestampRules,
): void {
  assertArray('logits', logits, Float32Array);
  assertTokens('generated', generated);
  assertObject('rules', rules);
  const { endOfText, noTimestamps, timestampBegin, maxInitialPosition } = rules;
  for (const [name, token] of Object.entries({ endOfText, noTimestamps, timestampBegin }))
    assertCount(name, token, { max: logits.length });
  if (maxInitialPosition !== undefined) assertCount('maxInitialPosition', maxInitialPosition);
  logits[noTimestamps] = -Infinity;
  if (generated.length === 0) {
    logits.fill(-Infinity, 0, timestampBegin);
    if (maxInitialPosition !== undefined) logits.fill(-Infinity, timestampBegin + maxInitialPosition + 1);
    return;
  }
  const followsTimestamp = generated.at(-1)! >= timestampBegin;
  const secondOfPair = generated.length < 2 || generated.at(-2)! >= timestampBegin;
  if (followsTimestamp) {
    if (secondOfPair) logits.fill(-Infinity, timestampBegin);
    else logits.fill(-Infinity, 0, endOfText);
  }
  const latest = generated.findLast((token) => token >= timestampBegin);
  if (latest !== undefined) {
    const earliest = followsTimestamp && !secondOfPair ? latest : latest + 1;
    logits.fill(-Infinity, timestampBegin, earliest);
  }
  if (timestampsPrevail(logits, timestampBegin)) logits.fill(-Infinity, 0, timestampBegin);
}

/** Whether all timestamps together are likelier than the likeliest other token. */
function timestampsPrevail(logits: Float32Array, timestampBegin: number): boolean {
  const [texts, times] = [logits.subarray(0, timestampBegin), logits.subarray(timestampBegin)];
  const likeliestText = texts[indexOfLargest(texts)]!;
  const likeliestTime = times[indexOfLargest(times)]!;
  const most = likeliestTime + Math.log(times.length);
  if (likeliestTime === -Infinity || most <= likeliestText) return false;
  let sum = 0;
  for (const time of times) sum += Math.exp(time - likeliestTime);
  return likeliestTime + Math.log(sum) > likeliestText;
}
