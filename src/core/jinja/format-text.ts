import { assertTextLength } from './budget.ts';
import { roundToEven } from './numbers.ts';
import { toAscii, toRepresentation, toText } from './printing.ts';
import {
  Float,
  isArray,
  isDictionary,
  isInteger,
  isNumber,
  numberOf,
  Tuple,
  typeName,
  type Dictionary,
  type Keywords,
  type Value,
} from './values.ts';

/** A format in Python's format mini-language. */
interface Format {
  readonly fill: string;
  readonly align: string;
  readonly sign: string;
  readonly isAlternate: boolean;
  readonly width: number;
  readonly grouping: string;
  readonly precision: number | undefined;
  readonly kind: string;
}

const specPattern = /^(?:([^])?([<>=^]))?([-+ ])?(#)?(0)?(\d+)?([,_])?(?:\.(\d+))?([a-zA-Z%])?$/u;

/** The field between braces, to be looked up. */
export interface FieldAccess {
  getAttribute(value: Value, name: string): Value;
  getItem(value: Value, key: Value): Value;
}

/** Python's `str.format`. */
export function formatBraces(
  text: string,
  args: readonly Value[],
  keywords: Keywords,
  { getAttribute, getItem }: FieldAccess,
): string {
  let position = 0;
  const write = (template: string): string =>
    template.replace(/\{\{|\}\}|\{((?:[^{}]|\{[^{}]*\})*)\}|[{}]/g, (whole, field: string | undefined) => {
      if (whole === '{{' || whole === '}}') return whole.charAt(0);
      if (field === undefined) throw new RangeError(`a single '${whole}' in a format text`);
      const parts = /^([^!:]*)(?:!([rsa]))?(?::([^]*))?$/.exec(field);
      if (parts === null) throw new RangeError(`unreadable format field '${field}'`);
      const [, path = '', conversion, spec = ''] = parts;
      return formatValue(converted(lookUp(path), conversion), write(spec));
    });

  function lookUp(path: string): Value {
    const [first = ''] = /^[^.[]*/.exec(path) ?? [];
    const key = first === '' ? String(position++) : first;
    const isPosition = /^\d+$/.test(key);
    if (isPosition ? Number(key) >= args.length : !keywords.has(key))
      throw new RangeError(`nothing is given for '${key}' of a format text`);
    let value: Value = isPosition ? args[Number(key)] : keywords.get(key);
    for (const [, name, index] of path.slice(first.length).matchAll(/\.([^.[]+)|\[([^\]]+)\]/g)) {
      if (name !== undefined) value = getAttribute(value, name);
      else value = getItem(value, /^\d+$/.test(index!) ? Number(index) : index!);
    }
    return value;
  }

  return write(text);
}

/** Python's `text % values`. */
export function formatPercent(text: string, values: Value): string {
  const args = values instanceof Tuple ? values : [values];
  let position = 0;
  let isByName = false;
  const next = (): Value => {
    if (position >= args.length) throw new TypeError('not enough arguments for format string');
    return args[position++];
  };
  const written = text.replace(
    /%(?:\(([^)]*)\))?([-+ #0]*)(\*|\d+)?(?:\.(\*|\d+)?)?[hlL]?([a-zA-Z%])?/g,
    (whole, key: string | undefined, flags: string, width?: string, precision?: string, kind?: string) => {
      if (kind === undefined) throw new RangeError('incomplete format');
      if (kind === '%') return '%';
      const size = width === '*' ? numberFor(next()) : Number(width ?? 0);
      const digits = precision === '*' ? numberFor(next()) : Number(precision ?? 0);
      if (key !== undefined) isByName = true;
      if (key !== undefined && !isDictionary(values)) throw new TypeError('format requires a mapping');
      const value = key === undefined ? next() : (values as Dictionary).get(key);
      const room = `${size > 0 ? size : ''}${whole.includes('.') ? `.${Math.max(digits, 0)}` : ''}`;
      const isLeft = flags.includes('-');
      if ('srac'.includes(kind)) return formatValue(converted(value, kind), `${isLeft ? '<' : '>'}${room}s`);
      if (!isNumber(value))
        throw new TypeError(`%${kind} format: a number is required, not ${typeName(value)}`);
      const isWhole = 'diuoxX'.includes(kind) && value instanceof Float;
      const align = isLeft ? ' <' : flags.includes('0') ? '0=' : ' >';
      const sign = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
      return formatValue(
        isWhole ? BigInt(Math.trunc(value.value)) : value,
        align + sign + (flags.includes('#') ? '#' : '') + room + ('iu'.includes(kind) ? 'd' : kind),
      );
    },
  );
  const mayHoldMore =
    values === undefined || isDictionary(values) || (isArray(values) && !(values instanceof Tuple));
  if (!isByName && position < args.length && !mayHoldMore)
    throw new TypeError('not all arguments converted during string formatting');
  return written;
}

function numberFor(value: Value): number {
  if (isInteger(value)) return Number(value);
  throw new TypeError('* wants int');
}

function converted(value: Value, conversion: string | undefined): Value {
  if (conversion === 'r') return toRepresentation(value);
  if (conversion === 'a') return toAscii(toRepresentation(value));
  if (conversion === 'c' && isInteger(value)) return String.fromCodePoint(Number(value));
  return conversion === undefined ? value : toText(value);
}

/** Python's `format(value, spec)`. */
function formatValue(value: Value, spec: string): string {
  if (spec === '') return toText(value);
  const parts = specPattern.exec(spec);
  if (parts === null) throw new RangeError(`invalid format specifier '${spec}'`);
  const [, fill, align, sign = '', alternate, zero, width = '0', grouping = '', precision, kind = ''] = parts;
  const isNumeric = isNumber(value) && kind !== 's';
  if (!isNumeric && typeof value !== 'string')
    throw new TypeError(`unsupported format string passed to ${typeName(value)}`);
  const format: Format = {
    fill: fill ?? (zero === undefined || align !== undefined ? (zero ?? ' ') : '0'),
    align: align ?? (isNumeric ? (zero === undefined ? '>' : '=') : '<'),
    sign,
    isAlternate: alternate !== undefined,
    width: Number(width),
    grouping,
    precision: precision === undefined ? undefined : Number(precision),
    kind,
  };
  if (isNumeric) return formatNumber(value, format);
  if ((kind !== '' && kind !== 's') || sign !== '' || format.isAlternate || grouping !== '' || align === '=')
    throw new RangeError(`invalid format specifier '${spec}' for str`);
  return padded(firstOf(value as string, format.precision), '', format);
}

/** The first characters, all if it isn't said how many. */
function firstOf(text: string, length: number | undefined): string {
  return Array.from(text).slice(0, length).join('');
}

function formatNumber(value: number | bigint | boolean | Float, format: Format): string {
  const { kind, sign, precision } = format;
  const isWhole = !(value instanceof Float) && !'eEfFgG%'.includes(kind || '-');
  if (!isWhole && 'bcdoxX'.includes(kind || '-'))
    throw new RangeError(`unknown format code '${kind}' for float`);
  if (!isWhole) {
    const number = numberOf(value);
    const isNegative = number < 0 || Object.is(number, -0);
    const lead = isNegative ? '-' : sign === '-' ? '' : sign;
    const digits = grouped(floatDigits(Math.abs(number), format), format.grouping, 3);
    return padded(/[EFG]/.test(kind) ? digits.toUpperCase() : digits, lead, format);
  }
  if (kind === 'c') return padded(String.fromCodePoint(Number(value)), '', { ...format, align: '<' });
  const integer = BigInt(value);
  const lead = integer < 0n ? '-' : sign === '-' ? '' : sign;
  const radix = { b: 2, o: 8, x: 16, X: 16 }[kind] ?? 10;
  const digits = (integer < 0n ? -integer : integer).toString(radix).padStart(precision ?? 0, '0');
  const prefix = format.isAlternate && radix !== 10 ? `0${kind}` : '';
  const text = grouped(kind === 'X' ? digits.toUpperCase() : digits, format.grouping, radix === 10 ? 3 : 4);
  return padded(text, lead + prefix, format);
}

function floatDigits(number: number, { kind, precision, isAlternate }: Format): string {
  if (!Number.isFinite(number)) return Number.isNaN(number) ? 'nan' : 'inf';
  switch (kind.toLowerCase()) {
    case 'f':
      return fixed(number, precision ?? 6);
    case '%':
      return `${fixed(number * 100, precision ?? 6)}%`;
    case 'e':
      return pythonExponent(number.toExponential(precision ?? 6));
    case 'g':
      return general(number, precision ?? 6, isAlternate);
    default:
      if (precision === undefined) return toText(new Float(number));
      return general(number, precision, false, precision - 1).replace(/^[^.e]*$/, '$&.0');
  }
}

/** JavaScript writes numbers from 1e21 on with an exponent. */
function fixed(number: number, precision: number): string {
  if (number < 1e21) return roundToEven(number, precision).toFixed(precision);
  return BigInt(number) + (precision > 0 ? `.${'0'.repeat(precision)}` : '');
}

function pythonExponent(text: string): string {
  return text.replace(/e([-+])(\d)$/, 'e$10$2');
}

function general(number: number, precision: number, keepsZeros: boolean, most?: number): string {
  const digits = Math.max(precision, 1);
  const [mantissa = '', exponentText] = number.toExponential(digits - 1).split('e');
  const exponent = Number(exponentText);
  const isLarge = exponent < -4 || exponent >= (most === undefined ? digits : Math.max(most, 1));
  const text = isLarge ? mantissa : number.toFixed(Math.max(digits - 1 - exponent, 0));
  const short = keepsZeros || !text.includes('.') ? text : text.replace(/\.?0+$/, '');
  return isLarge ? pythonExponent(`${short}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`) : short;
}

function grouped(text: string, separator: string, size: number): string {
  if (separator === '') return text;
  const [, whole = '', rest = ''] = /^([\da-fA-F]*)([^]*)$/.exec(text) ?? [];
  return whole.replace(new RegExp(`\\B(?=(?:[\\da-fA-F]{${size}})+$)`, 'g'), separator) + rest;
}

function padded(text: string, lead: string, { fill, align, width }: Format): string {
  const missing = width - Array.from(lead + text).length;
  if (missing <= 0) return lead + text;
  assertTextLength(width);
  if (align === '=') return lead + fill.repeat(missing) + text;
  if (align === '<') return lead + text + fill.repeat(missing);
  if (align === '>') return fill.repeat(missing) + lead + text;
  const left = Math.floor(missing / 2);
  return fill.repeat(left) + lead + text + fill.repeat(missing - left);
}
