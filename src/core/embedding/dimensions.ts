import { assertArray, assertCount, assertList, assertObject } from '../assert-values.ts';
/**
 * The supported lengths of a model's vectors. A model trained for it (Matryoshka representation learning) keeps most of
 * the meaning in the first dimensions, so that its vectors can be truncated.
 */
export interface VectorSizes {
  /** Length of a full vector. */
  readonly full: number;
  /** The lengths to which it may be truncated, or `any`; empty if truncation isn't supported. */
  readonly shorter: readonly number[] | 'any';
}

/**
 * Checks that a model supports vectors of a length.
 *
 * @throws RangeError `dimensions: expected …` for a length that the model doesn't offer
 *
 * @example
 * ```ts
 * assertDimensions(64, { full: 128, shorter: [32, 64] });
 * ```
 */
export function assertDimensions(dimensions: number, sizes: VectorSizes): void {
  assertObject('sizes', sizes);
  const { full, shorter } = sizes;
  assertCount('full', full, { min: 1 });
  if (shorter !== 'any') assertList('shorter', shorter, assertCount);
  if (dimensions === full) return;
  if (shorter === 'any') {
    if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions < full) return;
    throw new RangeError(`dimensions: expected an integer from 1 to ${full}, got ${dimensions}`);
  }
  if (shorter.includes(dimensions)) return;
  const offered = [...new Set([...shorter.filter((size) => size < full), full])].toSorted((a, b) => a - b);
  const expected = offered.length === 1 ? `${full}, the model's only one` : offered.join(' or ');
  throw new RangeError(`dimensions: expected ${expected}, got ${dimensions}`);
}

/**
 * The first dimensions of a vector. Normalize the result, since truncation changes its norm.
 *
 * @param dimensions from 1 to the length of `vector`
 * @returns newly allocated
 * @throws RangeError for a length out of range
 * @see https://arxiv.org/abs/2205.13147
 *
 * @example
 * ```ts
 * truncateVector(Float32Array.of(1, 2, 3), 2); // [1, 2]
 * ```
 */
export function truncateVector(vector: Float32Array, dimensions: number): Float32Array {
  assertArray('vector', vector, Float32Array);
  if (Number.isInteger(dimensions) && dimensions >= 1 && dimensions <= vector.length)
    return vector.slice(0, dimensions);
  throw new RangeError(`dimensions: expected an integer from 1 to ${vector.length}, got ${dimensions}`);
}
