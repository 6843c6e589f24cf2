import { assertArray } from '../assert-values.ts';
/**
 * Scales a vector to length 1 (L2), so that the dot product of two is the cosine of their angle.
 *
 * @param vector any length; mutated. A vector of zeros stays unchanged
 * @returns `vector`
 *
 * @example
 * ```ts
 * normalizeInPlace(Float32Array.of(3, 4)); // [0.6, 0.8]
 * ```
 */
export function normalizeInPlace(vector: Float32Array): Float32Array {
  assertArray('vector', vector, Float32Array);
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (squares === 0) return vector;
  const scale = 1 / Math.sqrt(squares);
  for (let index = 0; index < vector.length; index++) vector[index]! *= scale;
  return vector;
}
