/** Replaces each value by the median of those around it; at the ends the values are mirrored. */
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
