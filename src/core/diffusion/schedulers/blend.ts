/** Replaces `target` by `scale · target + weight · other`. */
export function blendInPlace(target: Float32Array, scale: number, other: Float32Array, weight: number): void {
  for (let index = 0; index < target.length; index++)
    target[index] = scale * target[index]! + weight * other[index]!;
}

/** Writes `a · first + b · second`; `out` may be one of them. */
export function blendInto(
  out: Float32Array,
  a: number,
  first: Float32Array,
  b: number,
  second: Float32Array,
): void {
  for (let index = 0; index < out.length; index++) out[index] = a * first[index]! + b * second[index]!;
}

/** Adds `weight · (first − second)`. */
export function addDifference(
  target: Float32Array,
  weight: number,
  first: Float32Array,
  second: Float32Array,
): void {
  for (let index = 0; index < target.length; index++)
    target[index]! += weight * (first[index]! - second[index]!);
}

/** Clamps every number to ±`bound`. */
export function clampInPlace(values: Float32Array, bound: number): void {
  for (let index = 0; index < values.length; index++)
    values[index] = Math.min(Math.max(values[index]!, -bound), bound);
}
