import {
  Float,
  Tuple,
  isArray,
  isDictionary,
  isInteger,
  Instance,
  Namespace,
  typeName,
  type Value,
} from './values.ts';

/** Python's `str`, as Jinja prints values; empty for `undefined`. */
export function toText(value: Value): string {
  if (typeof value === 'string') return value;
  return value === undefined ? '' : toRepresentation(value);
}

/** Python's `repr`. */
function toRepresentation(value: Value): string {
  if (typeof value === 'string') return quote(value);
  if (value === undefined) return 'Undefined';
  if (value === null) return 'None';
  if (typeof value === 'boolean') return value ? 'True' : 'False';
  if (isInteger(value)) return String(value);
  if (value instanceof Float) return floatToText(value.value);
  if (value instanceof Tuple) {
    return value.length === 1
      ? `(${toRepresentation(value[0])},)`
      : `(${Array.from(value, toRepresentation).join(', ')})`;
  }
  if (isArray(value)) return `[${value.map(toRepresentation).join(', ')}]`;
  if (isDictionary(value))
    return `{${[...value].map(([key, item]) => `${toRepresentation(key)}: ${toRepresentation(item)}`).join(', ')}}`;
  if (!(value instanceof Instance)) return `<${typeName(value)}>`;
  if (value instanceof Namespace)
    return `<Namespace ${toRepresentation(new Map<Value, Value>(value.attributes))}>`;
  return `<${value.type}>`;
}

export interface JsonOptions {
  readonly indent?: number | string | undefined;
  readonly asciiOnly?: boolean;
  readonly sortKeys?: boolean;
  /** Between items, and between keys and values. */
  readonly separators?: readonly [string, string] | undefined;
}

/** Python's `json.dumps`. */
export function toJson(value: Value, options: JsonOptions = {}): string {
  const { indent, asciiOnly = false, sortKeys = false } = options;
  const [comma, colon] = options.separators ?? [indent === undefined ? ', ' : ',', ': '];
  const step = typeof indent === 'number' ? ' '.repeat(Math.max(indent, 0)) : indent;

  function write(item: Value, depth: number): string {
    if (typeof item === 'string') return writeText(item);
    if (item === null) return 'null';
    if (typeof item === 'boolean' || isInteger(item)) return String(item);
    if (item instanceof Float) return jsonNumber(item.value);
    if (isArray(item)) {
      const members = Array.from(item, (member) => write(member, depth + 1));
      return enclose('[', ']', depth, members);
    }
    if (isDictionary(item)) {
      const entries = [...item].map(([key, member]) => [jsonKey(key), member] as const);
      if (sortKeys) entries.sort(([a], [b]) => (a < b ? -1 : 1));
      const members = entries.map(([key, member]) => writeText(key) + colon + write(member, depth + 1));
      return enclose('{', '}', depth, members);
    }
    throw new TypeError(`${typeName(item)} is not JSON serializable`);
  }

  function writeText(text: string): string {
    const json = JSON.stringify(text);
    return asciiOnly ? json.replace(/[^ -~]/g, (unit) => `\\u${hex(unit.charCodeAt(0), 4)}`) : json;
  }

  function enclose(open: string, close: string, depth: number, members: readonly string[]): string {
    if (members.length === 0 || step === undefined) return open + members.join(comma) + close;
    const line = `\n${step.repeat(depth + 1)}`;
    return open + line + members.join(comma + line) + `\n${step.repeat(depth)}` + close;
  }

  return write(value, 0);
}

/** Jinja's `escape`. */
export function escapeMarkup(text: string): string {
  return text.replace(/[&<>'"]/g, (character) => `&${entities.get(character) ?? ''};`);
}

const entities = new Map([
  ['&', 'amp'],
  ['<', 'lt'],
  ['>', 'gt'],
  ["'", '#39'],
  ['"', '#34'],
]);

/** Python also writes the shortest digits, but switches to exponents at different sizes than JavaScript. */
function floatToText(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  const [digits = '', exponentText] = value.toExponential().split('e');
  const exponent = Number(exponentText);
  if (exponent < -4 || exponent >= 16)
    return `${digits}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  const sign = Object.is(value, -0) ? '-' : '';
  return sign + String(value) + (Number.isInteger(value) ? '.0' : '');
}

/** JSON keys must be texts. */
function jsonKey(key: Value): string {
  if (typeof key === 'string') return key;
  if (key === null || typeof key === 'boolean' || isInteger(key)) return String(key);
  if (key instanceof Float) return jsonNumber(key.value);
  throw new TypeError(`keys must be str, int, float, bool or None, not ${typeName(key)}`);
}

function jsonNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  return floatToText(value);
}

function quote(text: string): string {
  const mark = text.includes("'") && !text.includes('"') ? '"' : "'";
  const escaped = text.replace(/[\p{C}\p{Z}\\'"]/gu, (character) => {
    if (character === ' ') return character;
    if (character === '"' || character === "'") return character === mark ? `\\${mark}` : character;
    return shortEscapes.get(character) ?? escapeCodePoint(character.codePointAt(0) ?? 0);
  });
  return mark + escaped + mark;
}

const shortEscapes = new Map([
  ['\\', '\\\\'],
  ['\n', '\\n'],
  ['\r', '\\r'],
  ['\t', '\\t'],
]);

function escapeCodePoint(codePoint: number): string {
  if (codePoint <= 0xff) return `\\x${hex(codePoint, 2)}`;
  return codePoint <= 0xffff ? `\\u${hex(codePoint, 4)}` : `\\U${hex(codePoint, 8)}`;
}

function hex(value: number, length: number): string {
  return value.toString(16).padStart(length, '0');
}
