import { assertNames } from '../assert-names.ts';
import { assertArray, assertCount } from '../assert-values.ts';

const floatBits = new Float32Array(1);
const bitsOfFloat = new Uint32Array(floatBits.buffer);
/** Indexes take the lower bits of a sort key, so that a stable order needs no comparator. */
const indexRange = 2 ** 20;

/**
 * The best of many scores, in descending order; the earlier one of equal scores is first.
 *
 * @param scores finite, not negative
 * @returns indexes into `scores`
 * @throws RangeError for more than 2²⁰ − 1 scores
 *
 * @example
 * ```ts
 * rankScores(Float32Array.of(0.2, 0.9, 0.4), { limit: 2 }); // [1, 2]
 * ```
 */
export function rankScores(
  scores: Float32Array,
  options: {
    /** Number of `scores`, below 2²⁰; default all. */
    readonly count?: number;
    /** Maximum number of results; default all. */
    readonly limit?: number;
  } = {},
): Int32Array {
  assertNames('rankScores', options, ['count', 'limit']);
  assertArray('scores', scores, Float32Array);
  const { count = scores.length, limit = count } = options;
  assertCount('count', count, { max: scores.length });
  assertCount('limit', limit);
  if (count >= indexRange) throw new RangeError(`scores: expected fewer than ${indexRange}, got ${count}`);
  const keys = new Float64Array(count);
  for (let index = 0; index < count; index++) {
    floatBits[0] = scores[index]!;
    // The bits of a positive float rise with its value; subtracted from the maximum, the best score has the smallest key.
    keys[index] = (0xffffffff - bitsOfFloat[0]!) * indexRange + index;
  }
  keys.sort();
  const ranked = new Int32Array(Math.min(limit, count));
  for (let place = 0; place < ranked.length; place++) ranked[place] = keys[place]! % indexRange;
  return ranked;
}
