import { createScratch } from './scratch.ts';

const digits = 2048;
const digitBits = 11;
const starts = new Int32Array(digits);
const copyScratch = createScratch((length) => new Float64Array(length));
const fewValues = 32;
const movesPerValue = 8;

/**
 * Sorts the first `size` values descending. A radix sort by two digits of where a value lies between the extremes leaves them
 * nearly sorted, and insertion sort does the rest: linear time, unless values crowd together.
 */
export function sortDescendingInto(sorted: Float64Array, values: Float64Array, size: number): void {
  if (sorted !== values) for (let i = 0; i < size; i++) sorted[i] = values[i]!;
  if (size > fewValues) sortRoughly(sorted, size);
  if (!insertionSort(sorted, size, size * movesPerValue)) sorted.subarray(0, size).sort().reverse();
}

function sortRoughly(values: Float64Array, size: number): void {
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < size; i++) {
    if (values[i]! < least) least = values[i]!;
    if (values[i]! > most) most = values[i]!;
  }
  const scale = Math.min((digits * digits - 1) / (most - least), Number.MAX_VALUE);
  const copy = copyScratch(size);
  scatter(values, copy, size, { most, scale, shift: 0 });
  scatter(copy, values, size, { most, scale, shift: digitBits });
}

interface Digit {
  readonly most: number;
  readonly scale: number;
  readonly shift: number;
}

/** One pass: values in the order of one of their digits, and of those with the same as they were. */
function scatter(from: Float64Array, to: Float64Array, size: number, { most, scale, shift }: Digit): void {
  starts.fill(0);
  for (let i = 0; i < size; i++) starts[((((most - from[i]!) * scale) | 0) >> shift) & (digits - 1)]!++;
  for (let digit = 0, start = 0; digit < digits; digit++) {
    const count = starts[digit]!;
    starts[digit] = start;
    start += count;
  }
  for (let i = 0; i < size; i++) {
    const value = from[i]!;
    to[starts[((((most - value) * scale) | 0) >> shift) & (digits - 1)]!++] = value;
  }
}

/** @returns false if it took more than `moves` to sort and was given up */
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
 * The value that would stand at `rank` (from 0) if the first `size` values were sorted descending. Quickselect with three-way
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
