import { createScratch } from './scratch.ts';

const digits = 2048;
const digitBits = 11;
const lowCounts = new Int32Array(digits);
const highCounts = new Int32Array(digits);
const copyScratch = createScratch((length) => new Float64Array(length));
const fewValues = 32;
const movesPerValue = 8;

/**
 * Sorts the first `size` values descending, in place. A radix sort by two digits of where a value lies between the
 * extremes leaves them nearly sorted, and insertion sort does the rest: linear time, unless values crowd together so
 * much that quicksort has to be called.
 *
 * @param values finite numbers
 */
export function sortDescending(values: Float64Array, size: number): void {
  if (size > fewValues) sortRoughly(values, size);
  if (!insertionSort(values, size, size * movesPerValue)) {
    quicksort(values, 0, size);
    insertionSort(values, size, Infinity);
  }
}

// One small function for each loop: V8 compiles them one by one.

function sortRoughly(values: Float64Array, size: number): void {
  const most = largest(values, size);
  const span = most - smallest(values, size);
  if (span === 0) return;
  const scale = Math.min((digits * digits - 1) / span, Number.MAX_VALUE);
  const copy = copyScratch(size);
  lowCounts.fill(0);
  highCounts.fill(0);
  countDigits(values, size, most, scale);
  toStarts(lowCounts);
  toStarts(highCounts);
  scatter(values, copy, size, most, scale, 0, lowCounts);
  scatter(copy, values, size, most, scale, digitBits, highCounts);
}

function largest(values: Float64Array, size: number): number {
  let most = -Infinity;
  for (let i = 0; i < size; i++) if (values[i]! > most) most = values[i]!;
  return most;
}

function smallest(values: Float64Array, size: number): number {
  let least = Infinity;
  for (let i = 0; i < size; i++) if (values[i]! < least) least = values[i]!;
  return least;
}

function countDigits(values: Float64Array, size: number, most: number, scale: number): void {
  for (let i = 0; i < size; i++) {
    const key = ((most - values[i]!) * scale) | 0;
    const low = key & (digits - 1);
    const high = (key >> digitBits) & (digits - 1);
    lowCounts[low] = lowCounts[low]! + 1;
    highCounts[high] = highCounts[high]! + 1;
  }
}

function toStarts(counts: Int32Array): void {
  let start = 0;
  for (let digit = 0; digit < digits; digit++) {
    const count = counts[digit]!;
    counts[digit] = start;
    start += count;
  }
}

function scatter(
  from: Float64Array,
  to: Float64Array,
  size: number,
  most: number,
  scale: number,
  shift: number,
  starts: Int32Array,
): void {
  for (let i = 0; i < size; i++) {
    const value = from[i]!;
    const digit = ((((most - value) * scale) | 0) >> shift) & (digits - 1);
    const place = starts[digit]!;
    to[place] = value;
    starts[digit] = place + 1;
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

/** Leaves runs of at most `fewValues` unsorted. */
function quicksort(values: Float64Array, start: number, end: number): void {
  let from = start;
  let to = end;
  let random = 0x9e3779b9;
  while (to - from > fewValues) {
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
    if (above - from < to - below) {
      quicksort(values, from, above);
      from = below;
    } else {
      quicksort(values, below, to);
      to = above;
    }
  }
}
