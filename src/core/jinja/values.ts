import { orderedKeys } from '../text/exact-json.ts';

/**
 * A value inside a template, with Python's distinctions: a `number` or `bigint` is an int, `null` is None, and
 * `undefined` is Jinja's undefined.
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
  | Instance
  | Callable;

export type Dictionary = ReadonlyMap<Value, Value>;
export type Keywords = ReadonlyMap<string, Value>;
export type Callable = (args: readonly Value[], keywords: Keywords) => Value;

/** Python's float, even if its value is an integer: `1.0`. */
export class Float {
  readonly value: number;
  constructor(value: number) {
    this.value = value;
  }
}

export class Tuple extends Array<Value> {}

/** A value with attributes, such as `loop`. */
export class Instance {
  readonly type: string;
  readonly attributes: Map<string, Value>;
  readonly call: Callable | undefined;
  constructor(type: string, attributes: Iterable<readonly [string, Value]>, call?: Callable) {
    this.type = type;
    this.attributes = new Map(attributes);
    this.call = call;
  }

  get(name: string): Value {
    return this.attributes.get(name);
  }
}

/** Attributes that a template may assign. */
export class Namespace extends Instance {}

/** Converts plain data to template values; a number that isn't a safe integer becomes a float. */
export function toValue(data: unknown): Value {
  if (typeof data === 'number') return Number.isSafeInteger(data) ? data : new Float(data);
  if (typeof data !== 'object' || data === null) return data as Value;
  if (data instanceof Map || data instanceof Float) return data;
  if (Array.isArray(data)) return data.map(toValue);
  const members = new Map<Value, Value>();
  for (const key of orderedKeys(data)) members.set(key, toValue((data as Record<string, unknown>)[key]));
  return members;
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

type PythonNumber = number | bigint | Float | boolean;

/** Whether Python can calculate with the value, which includes booleans. */
export function isNumber(value: Value): value is PythonNumber {
  return isInteger(value) || value instanceof Float || typeof value === 'boolean';
}

export function numberOf(value: PythonNumber): number {
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
  return value instanceof Instance ? value.type : 'function';
}

export function isTruthy(value: Value): boolean {
  if (value instanceof Float) return value.value !== 0;
  if (isArray(value)) return value.length > 0;
  if (isDictionary(value)) return value.size > 0;
  return Boolean(value);
}

/** Python's `==`: by value, without JavaScript's conversions. */
export function isEqual(left: Value, right: Value): boolean {
  if (left === right) return true;
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right) === 0;
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
      [...left].every(([key, item]) => {
        const other = findKey(right, key);
        return right.has(other) && isEqual(item, right.get(other));
      })
    );
  }
  return false;
}

/** The existing key that Python considers equal, or the key itself: `1`, `1.0` and `True` are equal. */
export function findKey(dictionary: Dictionary, key: Value): Value {
  if (typeof key === 'string' || dictionary.has(key)) return key;
  if ((isArray(key) && !(key instanceof Tuple)) || isDictionary(key))
    throw new TypeError(`unhashable type: '${typeName(key)}'`);
  if (!isNumber(key) && !isArray(key)) return key;
  for (const other of dictionary.keys()) if (isEqual(other, key)) return other;
  return key;
}

/** Builds a dictionary like Python: of equal keys the first remains, with the last value. */
export function toDictionary(entries: Iterable<readonly [Value, Value]>): Map<Value, Value> {
  const dictionary = new Map<Value, Value>();
  for (const [key, value] of entries) dictionary.set(findKey(dictionary, key), value);
  return dictionary;
}

/** @throws TypeError for values that Python can't order */
export function compare(left: Value, right: Value): number {
  if (isNumber(left) && isNumber(right)) return compareNumbers(left, right);
  if (typeof left === 'string' && typeof right === 'string') return compareTexts(left, right);
  if (isArray(left) && isArray(right) && left instanceof Tuple === right instanceof Tuple) {
    const index = left.findIndex((item, at) => at >= right.length || !isEqual(item, right[at]));
    if (index === -1) return Math.sign(left.length - right.length);
    return index < right.length ? compare(left[index], right[index]) : 1;
  }
  throw new TypeError(`'<' not supported between ${typeName(left)} and ${typeName(right)}`);
}

/** By code points; JavaScript compares code units. */
function compareTexts(left: string, right: string): number {
  for (let index = 0; index < left.length && index < right.length; index++) {
    const difference = rank(left.charCodeAt(index)) - rank(right.charCodeAt(index));
    if (difference !== 0) return Math.sign(difference);
  }
  return Math.sign(left.length - right.length);
}

/** Surrogates represent the highest code points. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit < 0xe000 ? unit + 0x1_0000 : unit;
}

/** A big integer is compared exactly, even with floats. */
function compareNumbers(left: PythonNumber, right: PythonNumber): number {
  const a = left instanceof Float ? left.value : left;
  const b = right instanceof Float ? right.value : right;
  return a < b ? -1 : a > b ? 1 : a == b ? 0 : NaN;
}

/** @throws TypeError for values without items */
export function toItems(value: Value): readonly Value[] {
  if (value === undefined) return [];
  if (typeof value === 'string') return Array.from(value);
  if (isArray(value)) return value;
  if (isDictionary(value)) return [...value.keys()];
  throw new TypeError(`'${typeName(value)}' object is not iterable`);
}

/** @throws TypeError if Python's `in` would */
export function contains(container: Value, item: Value): boolean {
  if (typeof container === 'string') {
    if (typeof item !== 'string') throw new TypeError(`'in <string>' requires string, not ${typeName(item)}`);
    return container.includes(item);
  }
  if (isDictionary(container)) return container.has(findKey(container, item));
  return toItems(container).some((member) => isEqual(member, item));
}

/** An operation on a value in a template, such as a filter or a method. */
export type Operation<Self = Value> = (self: Self, args: readonly Value[], keywords: Keywords) => Value;

/** Operations by name, with Python-like signatures: `default|d(default_value, boolean)`. */
export function operations<Self = Value>(
  calls: Readonly<Record<string, (self: Self, ...args: Value[]) => Value>>,
): [name: string, Operation<Self>][] {
  return Object.entries(calls).flatMap(([signature, call]) => {
    const [names = '', parameters = ''] = signature.split('(');
    const wanted = parameters.match(/\w+/g) ?? [];
    const operation: Operation<Self> = (self, args, keywords) =>
      call(self, ...bindArguments(wanted, args, keywords));
    return names.split('|').map((name): [string, Operation<Self>] => [name, operation]);
  });
}

/** Assigns a call's arguments to a function's parameters. */
function bindArguments(names: readonly string[], args: readonly Value[], keywords: Keywords): Value[] {
  if (args.length > names.length)
    throw new TypeError(`expected at most ${names.length} arguments, got ${args.length}`);
  const unknown = [...keywords.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) throw new TypeError(`unexpected argument '${unknown}'`);
  return names.map((name, index) => (index < args.length ? args[index] : keywords.get(name)));
}
