import { quote } from './text/quote.ts';

/** Arrays of numbers that pure functions accept. */
type Numbers = Float32Array | Float64Array | Int32Array | Uint32Array | Uint8Array;

function describe(value: unknown): string {
  if (typeof value === 'string') return quote(value);
  if (typeof value === 'object' && value !== null) return value.constructor?.name ?? 'an object';
  return String(value);
}

/** @throws TypeError unless `value` is such an array, RangeError for a wrong length */
export function assertArray(
  label: string,
  value: unknown,
  kind: abstract new (...args: never[]) => Numbers,
  { length, multiple = 1, least = 0 }: { length?: number; multiple?: number; least?: number } = {},
): void {
  if (!(value instanceof kind))
    throw new TypeError(`${label}: expected a ${kind.name}, got ${describe(value)}`);
  const { length: own } = value;
  if (length !== undefined && own !== length)
    throw new RangeError(`${label}: expected ${length} numbers, got ${own}`);
  if (own % multiple !== 0)
    throw new RangeError(`${label}: expected a multiple of ${multiple} numbers, got ${own}`);
  if (own < least) throw new RangeError(`${label}: expected at least ${least} numbers, got ${own}`);
}

/** @throws TypeError unless `value` is a number, RangeError unless it is finite and in range */
export function assertWithin(
  label: string,
  value: unknown,
  { min = -Infinity, max = Infinity, above = -Infinity }: { min?: number; max?: number; above?: number } = {},
): void {
  if (typeof value !== 'number') throw new TypeError(`${label}: expected a number, got ${describe(value)}`);
  if (Number.isFinite(value) && value >= min && value <= max && value > above) return;
  const from = above > -Infinity ? ` above ${above}` : min > -Infinity ? ` from ${min}` : '';
  const to = max < Infinity ? ` to ${max}` : '';
  throw new RangeError(`${label}: expected a finite number${from}${to}, got ${value}`);
}

/** @throws TypeError unless `value` is a number, RangeError unless it is an integer in range */
export function assertCount(
  label: string,
  value: unknown,
  { min = 0, max = Number.MAX_SAFE_INTEGER }: { min?: number; max?: number } = {},
): void {
  if (typeof value !== 'number') throw new TypeError(`${label}: expected a number, got ${describe(value)}`);
  if (Number.isInteger(value) && value >= min && value <= max) return;
  const to = max < Number.MAX_SAFE_INTEGER ? ` to ${max}` : '';
  throw new RangeError(`${label}: expected an integer from ${min}${to}, got ${value}`);
}

/** @throws TypeError unless `value` is a string, RangeError unless it is in `known` */
export function assertOneOf(label: string, value: unknown, known: readonly string[]): void {
  if (typeof value !== 'string') throw new TypeError(`${label}: expected a string, got ${describe(value)}`);
  if (known.includes(value)) return;
  throw new RangeError(
    `${label}: expected ${known.map((name) => `"${name}"`).join(' or ')}, got ${quote(value)}`,
  );
}

/** @throws TypeError unless `value` is a string */
export function assertText(label: string, value: unknown): void {
  if (typeof value !== 'string') throw new TypeError(`${label}: expected a string, got ${describe(value)}`);
}

/** @throws TypeError unless `value` is a list and each entry passes `assertEach` */
export function assertList(
  label: string,
  value: unknown,
  assertEach: (label: string, entry: unknown) => void = () => {},
): void {
  if (!Array.isArray(value)) throw new TypeError(`${label}: expected a list, got ${describe(value)}`);
  value.forEach((entry, index) => assertEach(`${label}[${index}]`, entry));
}

/** @throws TypeError unless `value` is an object */
export function assertObject(label: string, value: unknown): void {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || ArrayBuffer.isView(value))
    throw new TypeError(`${label}: expected an object, got ${describe(value)}`);
}

/** @throws TypeError or RangeError unless `value` has a width and a height above 0 */
export function assertSize(label: string, value: unknown): void {
  assertObject(label, value);
  const { width, height } = value as { width: unknown; height: unknown };
  assertCount(`${label}.width`, width, { min: 1 });
  assertCount(`${label}.height`, height, { min: 1 });
}

/** @throws TypeError unless `value` is a function */
export function assertFunction(label: string, value: unknown): void {
  if (typeof value !== 'function')
    throw new TypeError(`${label}: expected a function, got ${describe(value)}`);
}

/** @throws TypeError unless `value` is an array of numbers, which may include NaN */
export function assertNumbers(label: string, value: unknown): void {
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return;
  assertList(label, value);
  const list = value as readonly unknown[];
  const wrong = list.findIndex((entry) => typeof entry !== 'number');
  if (wrong < 0) return;
  throw new TypeError(`${label}[${wrong}]: expected a number, got ${describe(list[wrong])}`);
}

/** @throws TypeError or RangeError unless `value` is a list of token ids */
export function assertTokens(label: string, value: unknown): void {
  assertNumbers(label, value);
  const wrong = (value as readonly number[]).findIndex((token) => !Number.isInteger(token) || token < 0);
  if (wrong >= 0) assertCount(`${label}[${wrong}]`, (value as readonly number[])[wrong]);
}

/** @throws TypeError unless `value` is a boolean */
export function assertFlag(label: string, value: unknown): void {
  if (typeof value !== 'boolean')
    throw new TypeError(`${label}: expected true or false, got ${describe(value)}`);
}

/** @throws TypeError unless `value` is a string or a list of strings */
export function assertTexts(label: string, value: unknown): void {
  if (typeof value !== 'string') assertList(label, value, assertText);
}

/** @throws TypeError unless `value` is a Map */
export function assertMap(label: string, value: unknown): void {
  if (!(value instanceof Map)) throw new TypeError(`${label}: expected a Map, got ${describe(value)}`);
}

/** @throws TypeError unless `value` is iterable */
export function assertIterable(label: string, value: unknown): void {
  const isIterable = typeof value === 'object' && value !== null && Symbol.iterator in value;
  if (!isIterable) throw new TypeError(`${label}: expected a list, got ${describe(value)}`);
}
