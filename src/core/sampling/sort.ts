import { createScratch } from './scratch.ts';

const places = 2 ** 16;
const starts = new Int32Array(places);
const copyScratch = createScratch((length) => new Float64Array(length));
const movesPerValue = 8;

/**
 * Sorts the first `size` values descending. One of 65,536 places between the extremes for each leaves them nearly sorted, and
 * insertion sort does the rest: linear time, unless values crowd together.
 */
export function sortDescendingInto(sorted: Float64Array, values: Float64Array, size: number): void {
  const copy = copyScratch(size);
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < size; i++) {
    const value = (copy[i] = values[i]!);
    if (value < least) least = value;
    if (value > most) most = value;
  }
  const scale = Math.min((places - 1) / (most - least), Number.MAX_VALUE);
  starts.fill(0);
  for (let i = 0; i < size; i++) starts[((most - copy[i]!) * scale) | 0]!++;
  for (let place = 0, start = 0; place < places; place++) {
    const count = starts[place]!;
    starts[place] = start;
    start += count;
  }
  for (let i = 0; i < size; i++) sorted[starts[((most - copy[i]!) * scale) | 0]!++] = copy[i]!;
  if (!insertionSort(sorted, size, size * movesPerValue)) sorted.subarray(0, size).sort().reverse();
}

/** @returns false if sorting took more than `moves` and was stopped */
function insertionSort(values: Float64Array, size: number, moves: number): boolean {
  let left = moves;
  for (let i = 1; i < size; i++) {
    const value = values[i]!;
    if (values[i - 1]! >= value) continue;
    let place = i;
    do values[place] = values[--place]!;
    while (place > 0 && values[place - 1]! < value);
    values[place] = value;
    left -= i - place;
    if (left < 0) return false;
  }
  return true;
}

/**
 * The value at `rank` (from 0) of the first `size` values in descending order. Quickselect with three-way
 * partitions and pseudo-random pivots: linear time, also with many equal values.
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
