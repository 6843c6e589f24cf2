/**
 * Buffers that the samplers share. Sampling is synchronous, so one set serves every sampler of the thread, and a sampler itself
 * stays a few kilobytes. They grow to the largest vocabulary and are never freed.
 */
export function createScratch<T>(create: (length: number) => T): (length: number) => T {
  let capacity = 0;
  let buffer = create(capacity);
  return (length) => {
    if (length > capacity) {
      buffer = create(length);
      capacity = length;
    }
    return buffer;
  };
}

const createFloats = (length: number): Float64Array => new Float64Array(length);

/** One weight for each candidate. */
export const weightScratch = createScratch(createFloats);
/** Values being sorted or selected from. */
export const valueScratch = createScratch(createFloats);

/** @throws TypeError for anything but a number that is one */
export function assertNumber(label: string, value: unknown): asserts value is number {
  if (typeof value !== 'number' || Number.isNaN(value))
    throw new TypeError(`${label}: expected a number, got ${String(value)}`);
}

/** @throws RangeError for anything but a token id of the vocabulary */
export function assertToken(label: string, token: number, vocabularySize: number): void {
  if (!Number.isInteger(token) || token < 0 || token >= vocabularySize)
    throw new RangeError(`${label}: expected a token id from 0 to ${vocabularySize - 1}, got ${token}`);
}

/** The numbers of an array in a longer one, followed by zeros. */
export function grown<T extends Uint8Array | Uint16Array | Int32Array | Uint32Array>(
  numbers: T,
  length: number,
): T {
  const longer = new (numbers.constructor as new (length: number) => T)(length);
  longer.set(numbers);
  return longer;
}

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
