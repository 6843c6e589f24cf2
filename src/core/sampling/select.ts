/**
 * The value that would stand at `rank` (from 0) if the first `size` values were sorted descending. Quickselect with
 * three-way partitions and pseudo-random pivots: linear time, also with many equal values.
 *
 * @param values reordered
 */
export function selectDescending(values: Float64Array, size: number, rank: number): number {
  let from = 0;
  let to = size;
  let random = 0x9e3779b9;
  while (to - from > 1) {
    random = (Math.imul(random, 1664525) + 1013904223) >>> 0;
    const pivot = values[from + (random % (to - from))]!;
    let above = from;
    let below = to;
    for (let i = from; i < below;) {
      const value = values[i]!;
      if (value > pivot) {
        values[i++] = values[above]!;
        values[above++] = value;
      } else if (value < pivot) {
        values[i] = values[--below]!;
        values[below] = value;
      } else i++;
    }
    if (rank < above) to = above;
    else if (rank < below) return pivot;
    else from = below;
  }
  return values[from]!;
}
