import { createScratch } from './scratch.ts';

const digits = 2048;
const digitBits = 11;
const lowCounts = new Int32Array(digits);
const highCounts = new Int32Array(digits);
const copyScratch = createScratch((length) => new Float64Array(length));
const fewValues = 32;
const movesPerValue = 8;

/**
 * Sorts the first `size` values descending. A radix sort by two digits of where a value lies between the
 * extremes leaves them nearly sorted, and insertion sort does the rest: linear time, unless values crowd together so
 * much that quicksort has to be called.
 *
 * @param sorted overwritten; may be `values`
 * @param values finite numbers
 */
export function sortDescendingInto(sorted: Float64Array, values: Float64Array, size: number): void {
  if (size <= fewValues || !sortRoughly(sorted, values, size)) copyInto(sorted, values, size);
  if (!insertionSort(sorted, size, size * movesPerValue)) {
    quicksort(sorted, 0, size);
    insertionSort(sorted, size, Infinity);
  }
}

// One small function for each loop: V8 compiles them one by one.

function copyInto(sorted: Float64Array, values: Float64Array, size: number): void {
  if (sorted !== values) for (let i = 0; i < size; i++) sorted[i] = values[i]!;
}

/** @returns false where all are the same, which leaves `sorted` as it is */
function sortRoughly(sorted: Float64Array, values: Float64Array, size: number): boolean {
  const most = largest(values, size);
  const span = most - smallest(values, size);
  if (span === 0) return false;
  const scale = Math.min((digits * digits - 1) / span, Number.MAX_VALUE);
  const copy = copyScratch(size);
  lowCounts.fill(0);
  highCounts.fill(0);
  countDigits(values, size, most, scale);
  toStarts(lowCounts);
  toStarts(highCounts);
  scatter(values, copy, size, most, scale, 0, lowCounts);
  scatter(copy, sorted, size, most, scale, digitBits, highCounts);
  return true;
}

function largest(values: Float64Array, size: number): number {
  let first = -Infinity;
  let second = -Infinity;
  for (let i = 0; i < size; i += 2) {
    const a = values[i]!;
    const b = values[i + 1 < size ? i + 1 : i]!;
    if (a > first) first = a;
    if (b > second) second = b;
  }
  return Math.max(first, second);
}

/** Of any number of values; infinite without any. */
export function smallest(values: Float64Array, size: number): number {
  let first = Infinity;
  let second = Infinity;
  for (let i = 0; i < size; i += 2) {
    const a = values[i]!;
    const b = values[i + 1 < size ? i + 1 : i]!;
    if (a < first) first = a;
    if (b < second) second = b;
  }
  return Math.min(first, second);
}

function countDigits(values: Float64Array, size: number, most: number, scale: number): void {
  const fours = size - (size % 4);
  for (let i = 0; i < fours; i += 4) {
    countDigit(((most - values[i]!) * scale) | 0);
    countDigit(((most - values[i + 1]!) * scale) | 0);
    countDigit(((most - values[i + 2]!) * scale) | 0);
    countDigit(((most - values[i + 3]!) * scale) | 0);
  }
  for (let i = fours; i < size; i++) countDigit(((most - values[i]!) * scale) | 0);
}

function countDigit(key: number): void {
  const low = key & (digits - 1);
  const high = (key >> digitBits) & (digits - 1);
  lowCounts[low] = lowCounts[low]! + 1;
  highCounts[high] = highCounts[high]! + 1;
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
  const fours = size - (size % 4);
  // Four at a time takes half as long.
  for (let i = 0; i < fours; i += 4) {
    const a = from[i]!;
    const b = from[i + 1]!;
    const c = from[i + 2]!;
    const d = from[i + 3]!;
    const first = ((((most - a) * scale) | 0) >> shift) & (digits - 1);
    const second = ((((most - b) * scale) | 0) >> shift) & (digits - 1);
    const third = ((((most - c) * scale) | 0) >> shift) & (digits - 1);
    const fourth = ((((most - d) * scale) | 0) >> shift) & (digits - 1);
    place(to, a, first, starts);
    place(to, b, second, starts);
    place(to, c, third, starts);
    place(to, d, fourth, starts);
  }
  for (let i = fours; i < size; i++) {
    const value = from[i]!;
    place(to, value, ((((most - value) * scale) | 0) >> shift) & (digits - 1), starts);
  }
}

function place(to: Float64Array, value: number, digit: number, starts: Int32Array): void {
  const at = starts[digit]!;
  to[at] = value;
  starts[digit] = at + 1;
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
