/**
 * A value inside a template, with Python's distinctions: a `number` or `bigint` is an int, `null` is None and
 * `undefined` is what Jinja makes of a name that has no value.
 */
export type Value =
  | string
  | boolean
  | number
  | bigint
  | Float
  | null
  | undefined
  | readonly Value[]
  | Dictionary
  | Namespace
  | Callable;

export type Dictionary = ReadonlyMap<Value, Value>;
export type Keywords = ReadonlyMap<string, Value>;
export type Callable = (args: readonly Value[], keywords: Keywords) => Value;

/** Python's float, which stays one where its value is whole: `1.0`. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class Tuple extends Array<Value> {}

/** Attributes that a template may assign. */
export class Namespace {
  readonly attributes: Map<string, Value>;
  constructor(attributes: Iterable<readonly [string, Value]>) {
    this.attributes = new Map(attributes);
  }
}

/** Turns plain data into template values; a number that is no safe integer becomes a float. */
export function toValue(data: unknown): Value {
  if (typeof data === 'number') return Number.isSafeInteger(data) ? data : new Float(data);
  if (typeof data !== 'object' || data === null) return data as Value;
  if (data instanceof Map || data instanceof Float) return data;
  if (Array.isArray(data)) return data.map(toValue);
  return new Map(Object.entries(data).map(([key, value]) => [key, toValue(value)]));
}

export function isDictionary(value: Value): value is Dictionary {
  return value instanceof Map;
}

export function isArray(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

export function isInteger(value: Value): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

/** Whether Python calculates with it, which it does with booleans too. */
export function isNumber(value: Value): value is number | bigint | Float | boolean {
  return isInteger(value) || value instanceof Float || typeof value === 'boolean';
}

export function numberOf(value: number | bigint | Float | boolean): number {
  return value instanceof Float ? value.value : Number(value);
}

/** Python's name of the value's type, for messages. */
export function typeName(value: Value): string {
  if (value === undefined) return 'undefined';
  if (value === null) return 'None';
  if (typeof value === 'string') return 'str';
  if (typeof value === 'boolean') return 'bool';
  if (isInteger(value)) return 'int';
  if (value instanceof Float) return 'float';
  if (value instanceof Tuple) return 'tuple';
  if (isArray(value)) return 'list';
  if (isDictionary(value)) return 'dict';
  return value instanceof Namespace ? 'namespace' : 'function';
}

export function isTruthy(value: Value): boolean {
  if (value instanceof Float) return value.value !== 0;
  if (isArray(value)) return value.length > 0;
  if (isDictionary(value)) return value.size > 0;
  return Boolean(value);
}

/** Python's `==`: by value, and without JavaScript's conversions. */
export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (isNumber(left) && isNumber(right)) return numberOf(left) === numberOf(right);
  if (isArray(left) && isArray(right)) {
    return (
      left instanceof Tuple === right instanceof Tuple &&
      left.length === right.length &&
      left.every((item, index) => isEqual(item, right[index]))
    );
  }
  if (isDictionary(left) && isDictionary(right)) {
    return (
      left.size === right.size &&
      [...left].every(([key, item]) => right.has(key) && isEqual(item, right.get(key)))
    );
  }
  return false;
}

/** @throws TypeError for values that Python can't order */
export function compare(left: Value, right: Value): number {
  if (isNumber(left) && isNumber(right)) return Math.sign(numberOf(left) - numberOf(right));
  if (typeof left === 'string' && typeof right === 'string') return left < right ? -1 : Number(left > right);
  if (isArray(left) && isArray(right)) {
    const index = left.findIndex((item, at) => at >= right.length || !isEqual(item, right[at]));
    if (index === -1) return Math.sign(left.length - right.length);
    return index < right.length ? compare(left[index], right[index]) : 1;
  }
  throw new TypeError(`'<' not supported between ${typeName(left)} and ${typeName(right)}`);
}

/** @throws TypeError for values without items */
export function toItems(value: Value): readonly Value[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return Array.from(value);
  if (isArray(value)) return value;
  if (isDictionary(value)) return [...value.keys()];
  throw new TypeError(`'${typeName(value)}' object is not iterable`);
}

/** @throws TypeError where Python's `in` would */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    if (typeof item !== 'string') throw new TypeError(`'in <string>' requires string, not ${typeName(item)}`);
    return container.includes(item);
  }
  return toItems(container).some((member) => isEqual(member, item));
}

/**
 * Sorts a call's arguments to the names of a function's parameters.
 *
 * @throws TypeError for arguments that the function doesn't have
 */
export function bindArguments(names: readonly string[], args: readonly Value[], keywords: Keywords): Value[] {
  if (args.length > names.length)
    throw new TypeError(`expected at most ${names.length} arguments, got ${args.length}`);
  const unknown = [...keywords.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`unexpected argument '${unknown}'`);
  return names.map((name, index) => (index < args.length ? args[index] : keywords.get(name)));
}
