import { assertArray, assertCount, assertObject, assertOneOf } from '../assert-values.ts';
/** Pooling of a text's token vectors: the first token's, the last token's, or their mean. */
export type PoolingMode = 'cls' | 'mean' | 'last-token';

/** The tokens of a text within a row. */
export interface TokenSpan {
  /** Index of the first token. */
  readonly start: number;
  /** Index after the last token. */
  readonly end: number;
}

/**
 * Pools the hidden states of one text into one vector.
 *
 * @param hidden `[rows × length × size]`, row-major
 * @param at the row, and the layout: `length` tokens in a row (padding included), `size` numbers per token
 * @param span the tokens of the text; `cls` takes the first of them, `last-token` the last
 * @returns `[size]`, newly allocated
 * @throws RangeError for a span that is empty or reaches beyond the row
 * @see https://arxiv.org/abs/1908.10084
 *
 * @example
 * ```ts
 * const hidden = Float32Array.of(1, 2, 3, 4, 0, 0); // two tokens of two numbers, and padding
 * pool(hidden, { row: 0, length: 3, size: 2 }, { start: 0, end: 2 }, 'mean'); // [2, 3]
 * ```
 */
export function pool(
  hidden: Float32Array,
  at: { readonly row: number; readonly length: number; readonly size: number },
  span: TokenSpan,
  mode: PoolingMode,
): Float32Array {
  assertObject('at', at);
  const { row, length, size } = at;
  assertCount('length', length, { min: 1 });
  assertCount('size', size, { min: 1 });
  assertArray('hidden', hidden, Float32Array, { multiple: length * size });
  assertCount('row', row, { max: hidden.length / (length * size) - 1 });
  assertOneOf('mode', mode, ['cls', 'mean', 'last-token']);
  assertObject('span', span);
  const { start, end } = span;
  if (!(start >= 0 && start < end && end <= length))
    throw new RangeError(`span: expected tokens from 0 to ${length}, got ${start} to ${end}`);
  assertCount('start', start);
  assertCount('end', end);
  const tokenAt = (index: number): Float32Array => {
    const offset = (row * length + index) * size;
    return hidden.subarray(offset, offset + size);
  };
  if (mode === 'cls') return tokenAt(start).slice();
  if (mode === 'last-token') return tokenAt(end - 1).slice();
  // Summed in double precision, so that long texts lose no accuracy.
  const sums = new Float64Array(size);
  for (let index = start; index < end; index++) {
    const token = tokenAt(index);
    for (let place = 0; place < size; place++) sums[place]! += token[place]!;
  }
  return new Float32Array(sums.map((sum) => sum / (end - start)));
}
