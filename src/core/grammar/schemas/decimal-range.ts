import {
  character,
  choice,
  never,
  optional,
  repeat,
  sequence,
  text,
  type Expression,
} from '../languages/expression.ts';
import type { Numeric } from './json-types.ts';

const digit = character([0x30, 0x39]);

export interface DecimalBound {
  readonly value: Numeric;
  readonly exclusive: boolean;
}

export function inclusive(value: Numeric): DecimalBound {
  return { value, exclusive: false };
}

/** A bound as digits, starting with the integer part: numbers are compared digit by digit. */
interface Digits {
  readonly digits: string;
  readonly exclusive: boolean;
}

interface Precision {
  readonly fractionDigits: number;
  readonly digits?: number | undefined;
}

/** The decimal numbers, without exponent, between two bounds. */
export function decimalRange(
  low: DecimalBound,
  high: DecimalBound,
  { fractionDigits, digits = Infinity }: Precision,
): Expression {
  const aboveZero: DecimalBound = { value: 0, exclusive: true };
  const precision = { fractionDigits, digits };
  const branches: Expression[] = [];
  if (low.value < 0) {
    const nearest = high.value < 0 ? negated(high) : aboveZero;
    branches.push(sequence(text('-'), magnitudes(nearest, negated(low), precision)));
  }
  if (high.value >= 0) branches.push(magnitudes(low.value < 0 ? inclusive(0) : low, high, precision));
  return choice(...branches);
}

function negated({ value, exclusive }: DecimalBound): DecimalBound {
  return { value: -value, exclusive };
}

function magnitudes(
  low: DecimalBound,
  high: DecimalBound,
  { fractionDigits, digits }: { fractionDigits: number; digits: number },
): Expression {
  // A single digit before the point may be zero, which isn't significant.
  const fractionOf = (length: number): number =>
    Math.max(0, Math.min(fractionDigits, length === 1 ? digits : digits - length));
  const from = boundOf(low);
  const to = boundOf(high);
  const branches: Expression[] = [];
  for (const length of new Set([from.length, to.length])) {
    if (from.length > to.length) break;
    branches.push(
      digitsFrom(0, {
        length,
        low: length === from.length ? from : undefined,
        high: length === to.length ? to : undefined,
        fractionDigits: fractionOf(length),
      }),
    );
  }
  // Numbers with lengths strictly between the bounds' need no comparison.
  for (let first = from.length + 1, last = first; first < to.length; first = last) {
    while (last < to.length && fractionOf(last) === fractionOf(first)) last++;
    const more = repeat(digit, { min: first - 1, max: last - 2 });
    const free = { length: 1, low: undefined, high: undefined, fractionDigits: fractionOf(first) };
    branches.push(sequence(character([0x31, 0x39]), more, digitsFrom(1, free)));
  }
  return choice(...branches);
}

function boundOf({ value, exclusive }: DecimalBound): Digits & { readonly length: number } {
  const { whole, fraction } = digitsOf(value);
  return { digits: whole + fraction, length: whole.length, exclusive };
}

interface Place {
  /** Digits of the integer part. */
  readonly length: number;
  /** Set while all digits so far equal the bound's. */
  readonly low: Digits | undefined;
  readonly high: Digits | undefined;
  readonly fractionDigits: number;
}

/** The language after `index` digits; the point precedes the first fraction digit. */
function digitsFrom(index: number, place: Place): Expression {
  const { length, low, high, fractionDigits } = place;
  const written = index - length;
  const isFree = !low && !high;
  if (isFree && written > 0) return repeat(digit, { min: 0, max: fractionDigits - written });
  if (isFree && index > 0 && written < 0)
    return sequence(repeat(digit, { min: -written, max: -written }), digitsFrom(length, place));
  let more: Expression = never;
  if (written < fractionDigits)
    more = isFree && written === 0 ? repeat(digit, { min: 1, max: fractionDigits }) : nextDigit(index, place);
  if (written < 0) return more;
  const further = written === 0 && more !== never ? sequence(text('.'), more) : more;
  return mayEnd(index, low, high) ? optional(further) : further;
}

function nextDigit(index: number, place: Place): Expression {
  const { length, low, high } = place;
  const lowest = low ? Number(low.digits[index] ?? 0) : index === 0 && length > 1 ? 1 : 0;
  const highest = high ? Number(high.digits[index] ?? 0) : 9;
  if (lowest > highest) return never;
  const branches: Expression[] = [];
  const add = (from: number, to: number, bounds: Partial<Place>): void => {
    if (from > to) return;
    const rest = digitsFrom(index + 1, { ...place, low: undefined, high: undefined, ...bounds });
    branches.push(sequence(character([0x30 + from, 0x30 + to]), rest));
  };
  if (lowest === highest) add(lowest, lowest, { low, high });
  else {
    if (low) add(lowest, lowest, { low });
    add(low ? lowest + 1 : lowest, high ? highest - 1 : highest, {});
    if (high) add(highest, highest, { high });
  }
  return choice(...branches);
}

/** Whether a number may end here, if its digits so far equal the bounds' and include the integer part. */
function mayEnd(index: number, low: Digits | undefined, high: Digits | undefined): boolean {
  const isWhole = ({ digits }: Digits): boolean => /^0*$/.test(digits.slice(index));
  if (low && (!isWhole(low) || low.exclusive)) return false;
  return !(high && isWhole(high) && high.exclusive);
}

/** The digits of a non-negative number, before and after the point. */
export function digitsOf(value: Numeric): { readonly whole: string; readonly fraction: string } {
  if (typeof value === 'number' && !Number.isFinite(value))
    throw new RangeError(`bound: expected a finite number, got ${value}`);
  const [mantissa, exponent = '0'] = String(value).split('e');
  const [whole, fraction = ''] = mantissa!.split('.');
  const shift = Number(exponent);
  const digits = whole! + fraction;
  const point = whole!.length + shift;
  const padded = '0'.repeat(Math.max(0, -point)) + digits + '0'.repeat(Math.max(0, point - digits.length));
  const cut = Math.max(0, point);
  return { whole: padded.slice(0, cut).replace(/^0+(?=\d)/, '') || '0', fraction: padded.slice(cut) };
}
