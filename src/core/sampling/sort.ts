import { createScratch } from './scratch.ts';

const digits = 2048;
const digitBits = 11;
const lowCounts = new Int32Array(digits);
const highCounts = new Int32Array(digits);
const copyScratch = createScratch((length) => new Float64Array(length));
const fewValues = 32;
const movesPerValue = 8;

/**
 * Sorts the first `size` values descending. A radix sort by two digits of where a value lies between the extremes leaves them
 * nearly sorted, and insertion sort does the rest: linear time, unless values crowd together so much that quicksort has to be
 * called.
 */
export function sortDescendingInto(sorted: Float64Array, values: Float64Array, size: number): void {
  if (size <= fewValues || !sortRoughly(sorted, values, size, rangeOf(values, size)))
    copyInto(sorted, values, size);
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
function sortRoughly(
  sorted: Float64Array,
  values: Float64Array,
  size: number,
  { least, most }: Range,
): boolean {
  const span = most - least;
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

/** The extremes of some values. */
interface Range {
  least: number;
  most: number;
}

const found: Range = { least: 0, most: 0 };

/** The extremes of the first `size` values; infinite without any. */
function rangeOf(values: Float64Array, size: number): Readonly<Range> {
  let least = Infinity;
  let otherLeast = Infinity;
  let most = -Infinity;
  let otherMost = -Infinity;
  for (let i = 0; i < size; i += 2) {
    const a = values[i]!;
    const b = values[i + 1 < size ? i + 1 : i]!;
    if (a < least) least = a;
    if (a > most) most = a;
    if (b < otherLeast) otherLeast = b;
    if (b > otherMost) otherMost = b;
  }
  found.least = Math.min(least, otherLeast);
  found.most = Math.max(most, otherMost);
  return found;
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
    put(to, a, first, starts);
    put(to, b, second, starts);
    put(to, c, third, starts);
    put(to, d, fourth, starts);
  }
  for (let i = fours; i < size; i++) {
    const value = from[i]!;
    put(to, value, ((((most - value) * scale) | 0) >> shift) & (digits - 1), starts);
  }
}

function put(to: Float64Array, value: number, digit: number, starts: Int32Array): void {
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
  while (to - from > fewValues) {
    partition(values, from, to);
    const { above, below } = split;
    if (above - from < to - below) {
      quicksort(values, from, above);
      from = below;
    } else {
      quicksort(values, below, to);
      to = above;
    }
  }
}

const split = { above: 0, below: 0 };
let random = 0x9e3779b9;

/** Puts what is above a pseudo-random pivot before `split.above`, and what is below it from `split.below` on. */
function partition(values: Float64Array, from: number, to: number): void {
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
  split.above = above;
  split.below = below;
}

/**
 * The value that would stand at `rank` (from 0) if the first `size` values were sorted descending. Quickselect with three-way
 * partitions and pseudo-random pivots: linear time, also with many equal values.
 */
export function selectDescending(values: Float64Array, size: number, rank: number): number {
  let from = 0;
  let to = size;
  while (to - from > 1) {
    partition(values, from, to);
    if (rank < split.above) to = split.above;
    else if (rank < split.below) return values[rank]!;
    else from = split.below;
  }
  return values[from]!;
}
