/** The first place among `size` ascending numbers whose number is at least `value`; `size` where all are less. */
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
