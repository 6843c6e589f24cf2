import { assertArray, assertCount, assertList, assertObject } from '../../assert-values.ts';

/** Both coordinates of each step of a path. */
interface WarpingPath {
  readonly rows: readonly number[];
  readonly columns: readonly number[];
}

const diagonal = 0;
const down = 1;
const right = 2;

/**
 * The cheapest monotonic path through a cost matrix, from its first to its last entry.
 * @param costs `[rows × columns]`
 * @see Sakoe and Chiba, "Dynamic programming algorithm optimization for spoken word recognition", 1978
 */
export function dynamicTimeWarping(
  costs: ArrayLike<number>,
  { rows, columns }: { rows: number; columns: number },
): WarpingPath {
  const moves = new Uint8Array(rows * columns);
  let above = new Float64Array(columns + 1).fill(Infinity);
  let current = new Float64Array(columns + 1);
  above[0] = 0;
  for (let row = 0; row < rows; row++) {
    current[0] = Infinity;
    for (let column = 0; column < columns; column++) {
      const fromDiagonal = above[column]!;
      const fromAbove = above[column + 1]!;
      const fromLeft = current[column]!;
      const move =
        fromDiagonal < fromAbove && fromDiagonal < fromLeft
          ? diagonal
          : fromAbove < fromDiagonal && fromAbove < fromLeft
            ? down
            : right;
      const cost = move === diagonal ? fromDiagonal : move === down ? fromAbove : fromLeft;
      current[column + 1] = costs[row * columns + column]! + cost;
      moves[row * columns + column] = move;
    }
    [above, current] = [current, above];
  }
  return trace(moves, rows, columns);
}

function trace(moves: Uint8Array, rows: number, columns: number): WarpingPath {
  const path = { rows: [] as number[], columns: [] as number[] };
  let row = rows - 1;
  let column = columns - 1;
  while (row >= 0 && column >= 0) {
    path.rows.push(row);
    path.columns.push(column);
    const move = row === 0 ? right : column === 0 ? down : moves[row * columns + column]!;
    if (row === 0 && column === 0) break;
    if (move !== right) row--;
    if (move !== down) column--;
  }
  path.rows.reverse();
  path.columns.reverse();
  return path;
}

/** Replaces each value by the median of its neighbourhood; the ends are mirrored. */
export function medianFilterInto(out: Float32Array, values: ArrayLike<number>, width: number): Float32Array {
  if (!Number.isInteger(width) || width < 1 || width % 2 === 0)
    throw new RangeError(`width: expected an odd number, got ${width}`);
  const half = (width - 1) / 2;
  const last = values.length - 1;
  if (last < half) {
    for (let index = 0; index <= last; index++) out[index] = values[index]!;
    return out;
  }
  const sorted = new Float64Array(width);
  for (let center = 0; center <= last; center++) {
    for (let count = 0; count < width; count++) {
      const index = Math.abs(center + count - half);
      insertSorted(sorted, count, values[index > last ? 2 * last - index : index]!);
    }
    out[center] = sorted[half]!;
  }
  return out;
}

function insertSorted(sorted: Float64Array, count: number, value: number): void {
  let place = count;
  for (; place > 0 && sorted[place - 1]! > value; place--) sorted[place] = sorted[place - 1]!;
  sorted[place] = value;
}

const filterWidth = 7;

/** The layout of the attention for `tokenTimes`. */
export interface AlignmentShape {
  /** Tokens that attended to the audio. */
  readonly rows: number;
  /** Positions of the encoder; those beyond `used` are padding. */
  readonly columns: number;
  readonly used: number;
  /** The rows of interest: from the token before the text up to its last token. */
  readonly start: number;
  readonly end: number;
}

/**
 * When each token begins, from the cross-attention of the decoder's alignment heads.
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

/** Attention to the audio without its padding; each position is normalized by its deviation over the tokens. */
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
