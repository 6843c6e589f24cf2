import { findMethod } from './methods.ts';
import { toText } from './printing.ts';
import { findKey, Instance, isArray, isDictionary, isInteger, Tuple, type Value } from './values.ts';

/** `value.name`: methods take precedence over entries. */
export function getAttribute(value: Value, name: string, mayChange = false): Value {
  const method = findMethod(value, name, mayChange);
  if (method) return method;
  if (isDictionary(value)) return value.get(name);
  return value instanceof Instance ? value.get(name) : undefined;
}

/** `value[key]`: entries take precedence over methods. */
export function getItem(value: Value, key: Value): Value {
  if (isDictionary(value)) {
    if (isArray(key) && !(key instanceof Tuple)) return undefined;
    const found = isDictionary(key) ? undefined : findKey(value, key);
    if (value.has(found)) return value.get(found);
  }
  if (typeof key === 'boolean') return getItem(value, Number(key));
  if (isInteger(key)) {
    if (isArray(value)) return value.at(Number(key));
    if (typeof value === 'string') return Array.from(value).at(Number(key));
  }
  return typeof key === 'string' ? getAttribute(value, key) : undefined;
}

/** Resolves a path such as `function.name` or `items.0`. */
export function getPath(value: Value, path: Value): Value {
  const parts: Value[] =
    typeof path === 'string'
      ? path.split('.').map((part) => (/^\d+$/.test(part) ? Number(part) : part))
      : [path];
  return parts.reduce((current, part) => {
    if (current === undefined) throw new TypeError(`'${toText(path)}' is undefined`);
    return getItem(current, part);
  }, value);
}

/** Python's slice of a list or a text. */
export function slice(value: readonly Value[] | string, start: Value, stop: Value, step: Value): Value {
  const items = typeof value === 'string' ? Array.from(value) : value;
  const stride = isInteger(step) ? Number(step) : 1;
  if (stride === 0) throw new RangeError('slice step cannot be zero');
  const [lowest, highest] = stride > 0 ? [0, items.length] : [-1, items.length - 1];
  const clamp = (index: Value, fallback: number): number => {
    if (!isInteger(index)) return fallback;
    const position = Number(index) < 0 ? Number(index) + items.length : Number(index);
    return Math.min(Math.max(position, lowest), highest);
  };
  const from = clamp(start, stride > 0 ? lowest : highest);
  const to = clamp(stop, stride > 0 ? highest : lowest);
  const picked: Value[] = [];
  for (let index = from; stride > 0 ? index < to : index > to; index += stride) picked.push(items[index]);
  if (typeof value === 'string') return picked.map(toText).join('');
  return value instanceof Tuple ? Tuple.from(picked) : picked;
}
