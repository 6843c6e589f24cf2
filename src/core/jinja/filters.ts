import { getPath } from './access.ts';
import { assertListLength, assertTextLength } from './budget.ts';
import { callTextMethod, findMethod } from './methods.ts';
import { escapeMarkup, toJson, toText } from './printing.ts';
import { findTest } from './tests.ts';
import { parseFloatText, parseIntegerText, roundToEven } from './numbers.ts';
import { capitalize, splitLines } from './text.ts';
import {
  compare,
  findKey,
  Float,
  isArray,
  isDictionary,
  isInteger,
  isNumber,
  isTruthy,
  numberOf,
  operations,
  toItems,
  typeName,
  type Keywords,
  type Operation,
  type Value,
} from './values.ts';

/** Jinja's filters, and the `tojson` of the reference. */
const filters: ReadonlyMap<string, Operation> = new Map<string, Operation>([
  ...operations({
    'tojson(ensure_ascii, indent, separators, sort_keys)': (value, asciiOnly, width, separators, sortKeys) =>
      toJson(value, {
        asciiOnly: isTruthy(asciiOnly),
        sortKeys: isTruthy(sortKeys),
        indent: isInteger(width) ? Number(width) : typeof width === 'string' ? width : undefined,
        separators: isArray(separators) ? [toText(separators[0]), toText(separators[1])] : undefined,
      }),
    'default|d(default_value, boolean)': (value, fallback = '', boolean = false) =>
      value === undefined || (isTruthy(boolean) && !isTruthy(value)) ? fallback : value,
    'string|safe()': toText,
    'escape|e()': (value) => escapeMarkup(toText(value)),
    'upper()': (value) => toText(value).toUpperCase(),
    'lower()': (value) => toText(value).toLowerCase(),
    'capitalize()': (value) => capitalize(toText(value)),
    'title()': (value) => toText(value).replace(/[^-\s({[<]+/g, capitalize),
    'trim(chars)': (value, characters) => callTextMethod(value, 'strip', [characters]),
    'replace(old, new, count)': (value, old, replacement, limit) =>
      callTextMethod(value, 'replace', [toText(old), toText(replacement), limit]),
    'indent(width, first, blank)': indent,
    'length|count()': lengthOf,
    'first()': (value) => toItems(value)[0],
    'last()': (value) => toItems(value).at(-1),
    'list()': (value) => [...toItems(value)],
    'items()': (value) => (value === undefined ? [] : itemsOf(value)),
    'reverse()': (value) => {
      const reversed = toItems(value).toReversed();
      return typeof value === 'string' ? reversed.map(toText).join('') : reversed;
    },
    'join(d, attribute)': (value, separator = '', attribute) =>
      picked(value, attribute).map(toText).join(toText(separator)),
    'sort(reverse, case_sensitive, attribute)': (value, reverse, caseSensitive, attribute) =>
      sorted(toItems(value), keyBy(attribute), reverse, caseSensitive),
    'dictsort(case_sensitive, by, reverse)': (value, caseSensitive, by, reverse) =>
      sorted(itemsOf(value), (entry) => getPath(entry, by === 'value' ? 1 : 0), reverse, caseSensitive),
    'unique(case_sensitive, attribute)': unique,
    'min(case_sensitive, attribute)': (value, caseSensitive, attribute) =>
      sorted(toItems(value), keyBy(attribute), false, caseSensitive)[0],
    'max(case_sensitive, attribute)': (value, caseSensitive, attribute) =>
      sorted(toItems(value), keyBy(attribute), true, caseSensitive)[0],
    'sum(attribute, start)': (value, attribute, start = 0) =>
      picked(value, attribute).reduce((total, item) => add(total, item), start),
    'int(default, base)': (value, fallback = 0, base = 10) => toInteger(value, base) ?? fallback,
    'float(default)': (value, fallback = new Float(0)) => toFloat(value) ?? fallback,
    'abs()': absolute,
    'round(precision, method)': round,
  }),
  ['select', (value, args) => itemsIfAny(value).filter(condition(args))],
  ['reject', (value, args) => itemsIfAny(value).filter(not(condition(args)))],
  ['selectattr', (value, args) => itemsIfAny(value).filter(attributeCondition(args))],
  ['rejectattr', (value, args) => itemsIfAny(value).filter(not(attributeCondition(args)))],
  ['map', map],
]);

/** @throws TypeError for an unknown filter */
export function findFilter(name: string): Operation {
  const filter = filters.get(name);
  if (!filter) throw new TypeError(`the filter '${name}' is not supported`);
  return filter;
}

const maxIndent = 10_000;

function indent(value: Value, width: Value = 4, first: Value = false, blank: Value = false): Value {
  const prefix = isInteger(width)
    ? ' '.repeat(Math.max(Math.min(Number(width), maxIndent), 0))
    : toText(width);
  if (typeof value !== 'string') throw new TypeError(`expected str, got ${typeName(value)}`);
  const lines = splitLines(`${value}\n`);
  assertTextLength(lines.length * prefix.length);
  return lines
    .map((line, index) =>
      (index === 0 ? isTruthy(first) : line !== '' || isTruthy(blank)) ? prefix + line : line,
    )
    .join('\n');
}

function lengthOf(value: Value): Value {
  if (value === null || isNumber(value))
    throw new TypeError(`object of type '${typeName(value)}' has no len()`);
  return toItems(value).length;
}

function itemsOf(value: Value): readonly Value[] {
  if (!isDictionary(value))
    throw new TypeError(`can only get item pairs from a mapping, not ${typeName(value)}`);
  return toItems(findMethod(value, 'items')?.([], new Map()));
}

function picked(value: Value, attribute: Value): readonly Value[] {
  return toItems(value).map(keyBy(attribute));
}

function sorted(
  items: readonly Value[],
  keyOf: (item: Value) => Value,
  reverse: Value,
  caseSensitive: Value,
): readonly Value[] {
  assertListLength(items.length);
  const direction = isTruthy(reverse) ? -1 : 1;
  return Array.from(items)
    .map((item) => [foldCase(keyOf(item), caseSensitive), item] as const)
    .sort(([a], [b]) => direction * compare(a, b))
    .map(([, item]) => item);
}

/** The sort key of an item: an attribute, or the item itself. */
function keyBy(attribute: Value): (item: Value) => Value {
  return (item) => (attribute === undefined || attribute === null ? item : getPath(item, attribute));
}

function unique(value: Value, caseSensitive: Value, attribute: Value): Value {
  const seen = new Map<Value, Value>();
  return toItems(value).filter((item) => {
    const key = findKey(seen, foldCase(keyBy(attribute)(item), caseSensitive));
    if (seen.has(key)) return false;
    seen.set(key, true);
    return true;
  });
}

function foldCase(value: Value, caseSensitive: Value): Value {
  return typeof value === 'string' && !isTruthy(caseSensitive) ? value.toLowerCase() : value;
}

function add(total: Value, item: Value): Value {
  if (!isNumber(total) || !isNumber(item)) throw new TypeError(`cannot add ${typeName(item)}`);
  const sum = numberOf(total) + numberOf(item);
  return total instanceof Float || item instanceof Float ? new Float(sum) : sum;
}

function toInteger(value: Value, base: Value): Value {
  if (isInteger(value)) return value;
  const whole = typeof value === 'string' ? parseIntegerText(value, Number(base)) : undefined;
  if (whole !== undefined) return whole;
  const number = toFloat(value);
  if (number === undefined || !Number.isFinite(number.value)) return undefined;
  const truncated = Math.trunc(number.value) + 0;
  return Number.isSafeInteger(truncated) ? truncated : BigInt(truncated);
}

function toFloat(value: Value): Float | undefined {
  if (value === undefined) throw new TypeError('undefined is no number');
  if (isNumber(value)) return new Float(numberOf(value));
  const number = typeof value === 'string' ? parseFloatText(value) : undefined;
  return number === undefined ? undefined : new Float(number);
}

function absolute(value: Value): Value {
  if (!isNumber(value)) throw new TypeError(`expected a number, got ${typeName(value)}`);
  if (typeof value === 'bigint') return value < 0n ? -value : value;
  const result = Math.abs(numberOf(value));
  return value instanceof Float ? new Float(result) : result;
}

function round(value: Value, precision: Value = 0, method: Value = 'common'): Value {
  if (!isNumber(value)) throw new TypeError(`expected a number, got ${typeName(value)}`);
  const digits = isInteger(precision) ? Number(precision) : 0;
  const number = numberOf(value);
  const scale = 10 ** digits;
  if (method === 'ceil') return new Float(Math.ceil(number * scale) / scale);
  if (method === 'floor') return new Float(Math.floor(number * scale) / scale);
  if (method !== 'common') throw new RangeError('method must be common, ceil or floor');
  if (!(value instanceof Float) && digits >= 0) return isInteger(value) ? value : Number(value);
  const rounded = roundToEven(number, digits);
  return value instanceof Float ? new Float(rounded) : rounded;
}

/** Jinja selects nothing from `none` or `false`, instead of raising an error. */
function itemsIfAny(value: Value): readonly Value[] {
  return isTruthy(value) ? toItems(value) : [];
}

function not(holds: (item: Value) => boolean): (item: Value) => boolean {
  return (item) => !holds(item);
}

function condition([name, ...args]: readonly Value[]): (item: Value) => boolean {
  if (name === undefined) return isTruthy;
  const test = findTest(toText(name));
  return (item) => test(item, ...args);
}

function attributeCondition([path, ...test]: readonly Value[]): (item: Value) => boolean {
  const holds = condition(test);
  return (item) => holds(getPath(item, path));
}

function map(value: Value, [name, ...args]: readonly Value[], keywords: Keywords): Value {
  const items = itemsIfAny(value);
  if (name !== undefined) {
    const filter = findFilter(toText(name));
    return items.map((item) => filter(item, args, keywords));
  }
  const fallback = keywords.get('default');
  return items.map((item) => {
    const attribute = getPath(item, keywords.get('attribute'));
    return attribute === undefined ? fallback : attribute;
  });
}
