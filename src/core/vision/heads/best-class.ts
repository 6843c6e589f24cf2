/** Index, from `start`, of the greatest of `count` values; the first of equal ones. */
export function bestClassOfRow(values: Float32Array, start: number, count: number): number {
  let best = 0;
  let bestValue = values[start]!;
  for (let index = 1; index < count; index++) {
    const value = values[start + index]!;
    if (value > bestValue) {
      bestValue = value;
      best = index;
    }
  }
  return best;
}
