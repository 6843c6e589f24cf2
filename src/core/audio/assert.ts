/** @throws TypeError unless `value` is a `Float32Array` */
export function assertSamples(label: string, value: unknown): asserts value is Float32Array {
  if (!(value instanceof Float32Array))
    throw new TypeError(`${label}: expected a Float32Array, got ${describe(value)}`);
}

/** @throws TypeError unless `value` is a number */
export function assertInteger(
  label: string,
  value: unknown,
  { min, max }: { min: number; max: number },
): asserts value is number {
  if (typeof value !== 'number') throw new TypeError(`${label}: expected a number, got ${describe(value)}`);
  if (!(Number.isInteger(value) && value >= min && value <= max))
    throw new RangeError(`${label}: expected an integer from ${min} to ${max}, got ${value}`);
}

/** @throws TypeError unless `value` is a number */
export function assertSeconds(label: string, value: unknown): asserts value is number {
  if (typeof value !== 'number') throw new TypeError(`${label}: expected a number, got ${describe(value)}`);
  if (!(value >= 0 && value < Infinity))
    throw new RangeError(`${label}: expected seconds from 0, got ${value}`);
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  return typeof value === 'object' ? (value.constructor?.name ?? 'an object') : typeof value;
}

/** Sample rates that the audio functions accept, in Hz. */
export const sampleRatesHz = { min: 1000, max: 768_000 } as const;

/** @throws TypeError or RangeError unless `value` is an integer within `sampleRatesHz` */
export function assertSampleRate(label: string, value: unknown): asserts value is number {
  assertInteger(label, value, sampleRatesHz);
}
