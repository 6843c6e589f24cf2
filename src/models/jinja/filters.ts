import { getPath } from './access.ts';
import { callTextMethod, findMethod } from './methods.ts';
import { escapeMarkup, toJson, toText } from './printing.ts';
import { findTest } from './tests.ts';
import { capitalize, splitLines } from './text.ts';
import {
  bindArguments,
  compare,
  Float,
  isArray,
  isDictionary,
  isEqual,
  isInteger,
  isNumber,
  isTruthy,
  numberOf,
  toItems,
  typeName,
  type Keywords,
  type Value,
} from './values.ts';

export type Filter = (value: Value, args: readonly Value[], keywords: Keywords) => Value;

/** Jinja's filters, and the reference's own `tojson`. */
export const filters: ReadonlyMap<string, Filter> = new Map<string, Filter>([
  ...define(['tojson'], ['ensure_ascii', 'indent', 'separators', 'sort_keys'], tojson),
  ...define(['default', 'd'], ['default_value', 'boolean'], (value, fallback = '', boolean = false) =>
    value === undefined || (isTruthy(boolean) && !isTruthy(value)) ? fallback : value,
  ),
  ...define(['string'], [], toText),
  ...define(['safe'], [], toText),
  ...define(['escape', 'e'], [], (value) => escapeMarkup(toText(value))),
  ...define(['upper'], [], (value) => toText(value).toUpperCase()),
  ...define(['lower'], [], (value) => toText(value).toLowerCase()),
  ...define(['capitalize'], [], (value) => capitalize(toText(value))),
  ...define(['title'], [], (value) => toText(value).replace(/[^-\s({[<]+/g, capitalize)),
  ...define(['trim'], ['chars'], (value, characters) => callTextMethod(value, 'strip', [characters])),
  ...define(['replace'], ['old', 'new', 'count'], (value, old, replacement, limit) =>
    callTextMethod(value, 'replace', [toText(old), toText(replacement), limit]),
  ),
  ...define(['indent'], ['width', 'first', 'blank'], indent),
  ...define(['length', 'count'], [], lengthOf),
  ...define(['first'], [], (value) => toItems(value)[0]),
  ...define(['last'], [], (value) => toItems(value).at(-1)),
  ...define(['list'], [], (value) => [...toItems(value)]),
  ...define(['items'], [], (value) => (value === undefined ? [] : itemsOf(value))),
  ...define(['reverse'], [], (value) => {
    const reversed = toItems(value).toReversed();
    return typeof value === 'string' ? reversed.map(toText).join('') : reversed;
  }),
  ...define(['join'], ['d', 'attribute'], (value, separator = '', attribute) =>
    picked(value, attribute).map(toText).join(toText(separator)),
  ),
  ...define(
    ['sort'],
    ['reverse', 'case_sensitive', 'attribute'],
    (value, reverse, caseSensitive, attribute) =>
      sorted(toItems(value), (item) => (attribute ? getPath(item, attribute) : item), reverse, caseSensitive),
  ),
  ...define(['dictsort'], ['case_sensitive', 'by', 'reverse'], (value, caseSensitive, by, reverse) =>
    sorted(itemsOf(value), (entry) => getPath(entry, by === 'value' ? 1 : 0), reverse, caseSensitive),
  ),
  ...define(['unique'], ['case_sensitive', 'attribute'], unique),
  ...define(
    ['min'],
    ['case_sensitive', 'attribute'],
    (value, caseSensitive, attribute) =>
      sorted(
        toItems(value),
        (item) => (attribute ? getPath(item, attribute) : item),
        false,
        caseSensitive,
      )[0],
  ),
  ...define(
    ['max'],
    ['case_sensitive', 'attribute'],
    (value, caseSensitive, attribute) =>
      sorted(toItems(value), (item) => (attribute ? getPath(item, attribute) : item), true, caseSensitive)[0],
  ),
  ...define(['sum'], ['attribute', 'start'], (value, attribute, start = 0) =>
    picked(value, attribute).reduce((total, item) => add(total, item), start),
  ),
  ...define(['int'], ['default', 'base'], (value, fallback = 0) => toInteger(value) ?? fallback),
  ...define(['float'], ['default'], (value, fallback = new Float(0)) => toFloat(value) ?? fallback),
  ...define(['abs'], [], (value) => mapNumber(value, Math.abs)),
  ...define(['round'], ['precision', 'method'], round),
  ['select', (value, args) => itemsIfAny(value).filter(condition(args))],
  ['reject', (value, args) => itemsIfAny(value).filter(not(condition(args)))],
  ['selectattr', (value, args) => itemsIfAny(value).filter(attributeCondition(args))],
  ['rejectattr', (value, args) => itemsIfAny(value).filter(not(attributeCondition(args)))],
  ['map', map],
]);

/** @throws TypeError if there is no such filter */
export function findFilter(name: string): Filter {
  const filter = filters.get(name);
  if (!filter) throw new TypeError(`no filter named '${name}'`);
  return filter;
}

function define(
  names: readonly string[],
  parameters: readonly string[],
  call: (value: Value, ...args: Value[]) => Value,
): (readonly [string, Filter])[] {
  return names.map((name) => [
    name,
    (value, args, keywords) => call(value, ...bindArguments(parameters, args, keywords)),
  ]);
}

function tojson(
  value: Value,
  asciiOnly: Value,
  indentation: Value,
  separators: Value,
  sortKeys: Value,
): Value {
  return toJson(value, {
    asciiOnly: isTruthy(asciiOnly),
    sortKeys: isTruthy(sortKeys),
    indent: isInteger(indentation)
      ? Number(indentation)
      : typeof indentation === 'string'
        ? indentation
        : undefined,
    separators: isArray(separators) ? [toText(separators[0]), toText(separators[1])] : undefined,
  });
}

function indent(value: Value, width: Value = 4, first: Value = false, blank: Value = false): Value {
  const prefix = isInteger(width) ? ' '.repeat(Number(width)) : toText(width);
  const lines = splitLines(`${toText(value)}\n`);
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
  const items = toItems(value);
  return attribute === undefined || attribute === null
    ? items
    : items.map((item) => getPath(item, attribute));
}

function sorted(
  items: readonly Value[],
  keyOf: (item: Value) => Value,
  reverse: Value,
  caseSensitive: Value,
): readonly Value[] {
  const direction = isTruthy(reverse) ? -1 : 1;
  return items
    .map((item) => [foldCase(keyOf(item), caseSensitive), item] as const)
    .sort(([a], [b]) => direction * compare(a, b))
    .map(([, item]) => item);
}

function unique(value: Value, caseSensitive: Value, attribute: Value): Value {
  const seen: Value[] = [];
  return toItems(value).filter((item) => {
    const key = foldCase(attribute ? getPath(item, attribute) : item, caseSensitive);
    if (seen.some((other) => isEqual(other, key))) return false;
    seen.push(key);
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

function toInteger(value: Value): Value {
  if (isInteger(value)) return value;
  const number = toFloat(value);
  return number && Number.isFinite(number.value) ? Math.trunc(number.value) : undefined;
}

function toFloat(value: Value): Float | undefined {
  if (value === undefined) throw new TypeError('undefined is no number');
  if (isNumber(value)) return new Float(numberOf(value));
  return typeof value === 'string' && /^\s*[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?\s*$/i.test(value)
    ? new Float(Number(value))
    : undefined;
}

function mapNumber(value: Value, change: (number: number) => number): Value {
  if (!isNumber(value)) throw new TypeError(`expected a number, got ${typeName(value)}`);
  const result = change(numberOf(value));
  return value instanceof Float ? new Float(result) : result;
}

function round(value: Value, precision: Value = 0, method: Value = 'common'): Value {
  if (!isNumber(value)) throw new TypeError(`expected a number, got ${typeName(value)}`);
  const digits = isInteger(precision) ? Number(precision) : 0;
  const number = numberOf(value);
  const scale = 10 ** digits;
  if (method === 'ceil') return new Float(Math.ceil(number * scale) / scale);
  if (method === 'floor') return new Float(Math.floor(number * scale) / scale);
  if (digits > 0) return new Float(Number(number.toFixed(digits)));
  const scaled = number * scale;
  const nearest = Math.round(scaled);
  const isTie = Math.abs(scaled % 1) === 0.5;
  return new Float((isTie && nearest % 2 !== 0 ? nearest - 1 : nearest) / scale);
}

/** Jinja selects nothing from what is none or false, instead of refusing it. */
function itemsIfAny(value: Value): readonly Value[] {
  return isTruthy(value) ? toItems(value) : [];
}

function not(holds: (item: Value) => boolean): (item: Value) => boolean {
  return (item) => !holds(item);
}

function condition([name, argument]: readonly Value[]): (item: Value) => boolean {
  if (name === undefined) return isTruthy;
  const test = findTest(toText(name));
  return (item) => test(item, argument);
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
