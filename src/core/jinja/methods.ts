import {
  capitalize,
  replace,
  split,
  splitFromEnd,
  splitLines,
  splitWords,
  toTitle,
  trimEnd,
  trimStart,
} from './text.ts';
import { assertListLength } from './budget.ts';
import { toText } from './printing.ts';
import {
  findKey,
  isArray,
  isDictionary,
  isEqual,
  isInteger,
  operations,
  toItems,
  Tuple,
  typeName,
  type Callable,
  type Dictionary,
  type Operation,
  type Value,
} from './values.ts';

/**
 * Finds a Python method of a value. Methods that would modify the value exist, but raise an error when called, as in
 * the reference's sandbox.
 */
export function findMethod(value: Value, name: string, mayChange = false): Callable | undefined {
  if (typeof value === 'string') return bind(value, textMethods.get(name));
  if (isDictionary(value)) return bind(value, dictionaryMethods.get(name));
  if (isArray(value)) {
    const change = mayChange ? bind(value as Value[], listChanges.get(name)) : undefined;
    return change ?? bind(value, listMethods.get(name));
  }
  return undefined;
}

function bind<Self>(self: Self, method: Operation<Self> | undefined): Callable | undefined {
  return method && ((args, keywords) => method(self, args, keywords));
}

const textMethods = new Map(
  operations<string>({
    'upper()': (text) => text.toUpperCase(),
    'lower()': (text) => text.toLowerCase(),
    'capitalize()': capitalize,
    'title()': toTitle,
    'strip(chars)': (text, characters) =>
      trimStart(trimEnd(text, optionalText(characters)), optionalText(characters)),
    'lstrip(chars)': (text, characters) => trimStart(text, optionalText(characters)),
    'rstrip(chars)': (text, characters) => trimEnd(text, optionalText(characters)),
    'split(sep, maxsplit)': (text, separator, limit) =>
      typeof separator === 'string'
        ? split(text, separator, limitOf(limit))
        : splitWords(text, limitOf(limit)),
    'rsplit(sep, maxsplit)': (text, separator, limit) =>
      splitFromEnd(text, textOf(separator), limitOf(limit)),
    'splitlines()': splitLines,
    'partition(sep)': (text, separator) =>
      partition(text, textOf(separator), text.indexOf(textOf(separator))),
    'rpartition(sep)': (text, separator) => {
      const index = text.lastIndexOf(textOf(separator));
      return index === -1 ? Tuple.of('', '', text) : partition(text, textOf(separator), index);
    },
    'startswith(prefix)': (text, prefix) => alternatives(prefix).some((option) => text.startsWith(option)),
    'endswith(suffix)': (text, suffix) => alternatives(suffix).some((option) => text.endsWith(option)),
    'removeprefix(prefix)': (text, prefix) =>
      text.startsWith(textOf(prefix)) ? text.slice(textOf(prefix).length) : text,
    'removesuffix(suffix)': (text, suffix) =>
      text.endsWith(textOf(suffix)) ? text.slice(0, text.length - textOf(suffix).length) : text,
    'replace(old, new, count)': (text, old, replacement, limit) =>
      replace(text, textOf(old), textOf(replacement), limitOf(limit)),
    'find(sub)': (text, part) => codePointIndex(text, text.indexOf(textOf(part))),
    'index(sub)': (text, part) => {
      const index = text.indexOf(textOf(part));
      if (index === -1) throw new RangeError('substring not found');
      return codePointIndex(text, index);
    },
    'rfind(sub)': (text, part) => codePointIndex(text, text.lastIndexOf(textOf(part))),
    'count(sub)': (text, part) => split(text, textOf(part)).length - 1,
    'join(iterable)': (text, items) => toItems(items).map(textOf).join(text),
    'isdigit()': (text) => /^\p{Nd}+$/u.test(text),
    'isalpha()': (text) => /^\p{L}+$/u.test(text),
    'isalnum()': (text) => /^[\p{L}\p{N}]+$/u.test(text),
    'isspace()': (text) => text !== '' && trimStart(text) === '',
    'isupper()': (text) => text !== text.toLowerCase() && text === text.toUpperCase(),
    'islower()': (text) => text !== text.toUpperCase() && text === text.toLowerCase(),
  }),
);

const dictionaryMethods = new Map([
  ...refuse<Dictionary>('dict', 'clear pop popitem setdefault update'),
  ...operations<Dictionary>({
    'get(key, default)': (dictionary, key, fallback = null) => {
      const found = findKey(dictionary, key);
      return dictionary.has(found) ? dictionary.get(found) : fallback;
    },
    'items()': (dictionary) => Array.from(dictionary, (entry) => Tuple.from(entry)),
    'keys()': (dictionary) => [...dictionary.keys()],
    'values()': (dictionary) => [...dictionary.values()],
    'copy()': (dictionary) => dictionary,
  }),
]);

const listMethods = new Map([
  ...refuse<readonly Value[]>('list', 'append clear extend insert pop remove reverse sort'),
  ...operations<readonly Value[]>({
    'index(value)': (items, value) => {
      const index = items.findIndex((item) => isEqual(item, value));
      if (index === -1) throw new RangeError('the value is not in the list');
      return index;
    },
    'copy()': (items) => [...items],
    'count(value)': (items, value) => items.filter((item) => isEqual(item, value)).length,
  }),
]);

const listChanges = new Map(
  operations<Value[]>({
    'append(item)': (items, item) => {
      assertListLength(items.push(item));
      return null;
    },
    'pop(index)': (items, index = -1) => items.splice(Number(index), 1)[0],
  }),
);

function refuse<Self>(type: string, names: string): [name: string, Operation<Self>][] {
  return names.split(' ').map((name) => [
    name,
    () => {
      throw new TypeError(`access to attribute '${name}' of '${type}' object is unsafe`);
    },
  ]);
}

function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  throw new TypeError(`expected str, got ${typeName(value)}`);
}

function optionalText(value: Value): string | undefined {
  return value === undefined || value === null ? undefined : textOf(value);
}

function limitOf(value: Value): number {
  return isInteger(value) && value >= 0 ? Number(value) : Infinity;
}

function alternatives(value: Value): readonly string[] {
  return value instanceof Tuple ? Array.from(value, textOf) : [textOf(value)];
}

function partition(text: string, separator: string, index: number): Value {
  if (index === -1) return Tuple.of(text, '', '');
  return Tuple.of(text.slice(0, index), separator, text.slice(index + separator.length));
}

function codePointIndex(text: string, index: number): number {
  return index === -1 ? -1 : Array.from(text.slice(0, index)).length;
}

/** Python's `str(value).method()`, for filters with an equivalent method. */
export function callTextMethod(value: Value, name: string, args: readonly Value[]): Value {
  return findMethod(toText(value), name)?.(args, new Map());
}
