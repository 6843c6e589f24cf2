import { assertArray, assertCount, assertList, assertObject } from '../../assert-values.ts';
import { dynamicTimeWarping } from './dynamic-time-warping.ts';
import { medianFilterInto } from './median-filter.ts';

const filterWidth = 7;

/** The layout of the attention that `tokenTimes` reads. */
export interface AlignmentShape {
  /** Tokens that looked at the audio. */
  readonly rows: number;
  /** Positions of the encoder; those beyond `used` are padding. */
  readonly columns: number;
  readonly used: number;
  /** The rows that count: of the tokens before the first and up to the last of the text. */
  readonly start: number;
  readonly end: number;
}

/**
 * When each token begins, from where the decoder's heads that follow the audio looked while it was written.
 *
 * @param heads attention of each head, `[rows × columns]`, each row with the sum 1
 * @returns `end − start` positions that never decrease
 * @see https://github.com/openai/whisper `timing.py`
 *
 * @example
 * ```ts
 * const rows = [[1, 0, 0], [0, 1, 0], [0, 0, 1]]; // three tokens look at three positions, one after the other
 * const heads = [Float32Array.from(rows.flat())];
 * tokenTimes(heads, { rows: 3, columns: 3, used: 3, start: 0, end: 3 }); // [0, 1, 2]
 * ```
 */
export function tokenTimes(heads: readonly Float32Array[], shape: AlignmentShape): number[] {
  assertObject('shape', shape);
  const { used, start, end } = shape;
  assertCount('rows', shape.rows);
  assertCount('columns', shape.columns);
  assertCount('used', used, { max: shape.columns });
  assertCount('end', end, { max: shape.rows });
  assertCount('start', start, { max: end });
  const length = shape.rows * shape.columns;
  assertList('heads', heads, (label, head) => assertArray(label, head, Float32Array, { length }));
  const rows = end - start;
  const costs = new Float64Array(rows * used);
  const smooth = new Float32Array(used);
  for (const attention of heads) {
    const standard = standardize(attention, shape);
    for (let row = 0; row < rows; row++) {
      const from = (start + row) * used;
      medianFilterInto(smooth, standard.subarray(from, from + used), filterWidth);
      for (let column = 0; column < used; column++)
        costs[row * used + column]! -= smooth[column]! / heads.length;
    }
  }
  const path = dynamicTimeWarping(costs, { rows, columns: used });
  return path.columns.filter((_, step) => path.rows[step] !== path.rows[step - 1]);
}

/**
 * Attention to the audio alone, not the padding after it; at each position in units of its deviation over the tokens.
 */
function standardize(attention: Float32Array, { rows, columns, used }: AlignmentShape): Float32Array {
  const result = new Float32Array(rows * used);
  for (let row = 0; row < rows; row++) {
    let sum = 0;
    for (let column = 0; column < used; column++) sum += attention[row * columns + column]!;
    for (let column = 0; column < used; column++)
      result[row * used + column] = attention[row * columns + column]! / (sum || 1);
  }
  const means = new Float64Array(used);
  const variances = new Float64Array(used);
  for (let at = 0; at < result.length; at++) means[at % used]! += result[at]! / rows;
  for (let at = 0; at < result.length; at++)
    variances[at % used]! += (result[at]! - means[at % used]!) ** 2 / rows;
  const deviations = variances.map((variance) => Math.sqrt(variance) || 1);
  for (let at = 0; at < result.length; at++)
    result[at] = (result[at]! - means[at % used]!) / deviations[at % used]!;
  return result;
}
