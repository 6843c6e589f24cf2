/** Index of the first of `size` ascending numbers that is at least `value`; `size` if all are less. */
export function lowerBound(numbers: Int32Array, value: number, size = numbers.length): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
