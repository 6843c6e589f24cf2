import {
  character,
  choice,
  empty,
  never,
  optional,
  repeat,
  sequence,
  text,
  type Expression,
} from '../languages/expression.ts';

const digit = character([0x30, 0x39]);

export interface DecimalBound {
  readonly value: number;
  readonly exclusive: boolean;
}

/** A bound as its digits; whole numbers and fractions are compared digit by digit. */
interface Digits {
  readonly whole: string;
  readonly fraction: string;
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
  const zero: DecimalBound = { value: 0, exclusive: false };
  const aboveZero: DecimalBound = { value: 0, exclusive: true };
  const precision = { fractionDigits, digits };
  const branches: Expression[] = [];
  if (low.value < 0) {
    const nearest = high.value < 0 ? negated(high) : aboveZero;
    branches.push(sequence(text('-'), magnitudes(nearest, negated(low), precision)));
  }
  if (high.value >= 0) branches.push(magnitudes(low.value < 0 ? zero : low, high, precision));
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
  // Before the point, a single digit may be a nought.
  const fractionOf = (length: number): number =>
    Math.max(0, Math.min(fractionDigits, length === 1 ? digits : digits - length));
  const from = { ...low, ...digitsOf(low.value) };
  const to = { ...high, ...digitsOf(high.value) };
  const branches: Expression[] = [];
  const lengths = { from: from.whole.length, to: to.whole.length };
  for (const length of new Set([lengths.from, lengths.to])) {
    if (lengths.from > lengths.to) break;
    branches.push(
      numbersFrom(0, {
        length,
        low: length === lengths.from ? from : undefined,
        high: length === lengths.to ? to : undefined,
        fractionDigits: fractionOf(length),
      }),
    );
  }
  // Numbers of any length between need no comparison.
  for (let first = lengths.from + 1, last = first; first < lengths.to; first = last) {
    while (last < lengths.to && fractionOf(last) === fractionOf(first)) last++;
    const more = repeat(digit, { min: first - 1, max: last - 2 });
    const free = { length: 1, low: undefined, high: undefined, fractionDigits: fractionOf(first) };
    branches.push(sequence(character([0x31, 0x39]), more, numbersFrom(1, free)));
  }
  return choice(...branches);
}

interface Place {
  /** Digits of the whole part. */
  readonly length: number;
  /** Set while all digits so far are those of the bound. */
  readonly low: Digits | undefined;
  readonly high: Digits | undefined;
  readonly fractionDigits: number;
}

/** The language after `index` digits. */
function numbersFrom(index: number, place: Place): Expression {
  const { length, low, high, fractionDigits } = place;
  if (index < length) {
    if (!low && !high && index > 0) {
      const rest = length - index;
      return sequence(repeat(digit, { min: rest, max: rest }), numbersFrom(length, place));
    }
    const lowest = low ? Number(low.whole[index]) : index === 0 && length > 1 ? 1 : 0;
    return nextDigit(index, place, lowest, high ? Number(high.whole[index]) : 9);
  }
  const end = mayEnd(0, low, high) ? empty : undefined;
  if (fractionDigits === 0) return end ?? never;
  const fraction = sequence(text('.'), fractionFrom(index, place));
  return end ? optional(fraction) : fraction;
}

function fractionFrom(index: number, place: Place): Expression {
  const { length, low, high, fractionDigits } = place;
  const written = index - length;
  if (!low && !high) return repeat(digit, { min: written === 0 ? 1 : 0, max: fractionDigits - written });
  const more =
    written < fractionDigits
      ? nextDigit(
          index,
          place,
          Number(low?.fraction[written] ?? 0),
          high ? Number(high.fraction[written] ?? 0) : 9,
        )
      : never;
  return written > 0 && mayEnd(written, low, high) ? optional(more) : more;
}

function nextDigit(index: number, place: Place, lowest: number, highest: number): Expression {
  const { length, low, high } = place;
  if (lowest > highest) return never;
  const branches: Expression[] = [];
  const follow = index < length ? numbersFrom : fractionFrom;
  const add = (from: number, to: number, bounds: Partial<Place>): void => {
    if (from > to) return;
    const rest = follow(index + 1, { ...place, low: undefined, high: undefined, ...bounds });
    branches.push(sequence(character([0x30 + from, 0x30 + to]), rest));
  };
  if (lowest === highest) {
    add(lowest, lowest, { low, high });
    return choice(...branches);
  }
  if (low) add(lowest, lowest, { low });
  add(low ? lowest + 1 : lowest, high ? highest - 1 : highest, {});
  if (high) add(highest, highest, { high });
  return choice(...branches);
}

/** Whether a number that has the bounds' digits so far, `written` of them after the point, may stop here. */
function mayEnd(written: number, low: Digits | undefined, high: Digits | undefined): boolean {
  const isWhole = (digits: Digits): boolean => /^0*$/.test(digits.fraction.slice(written));
  if (low && (!isWhole(low) || low.exclusive)) return false;
  return !(high && isWhole(high) && high.exclusive);
}

/** The digits of a number that isn't negative, before and after the point. */
export function digitsOf(value: number): Pick<Digits, 'whole' | 'fraction'> {
  if (!Number.isFinite(value)) throw new RangeError(`bound: expected a finite number, got ${value}`);
  const [mantissa, exponent = '0'] = String(value).split('e');
  const [whole, fraction = ''] = mantissa!.split('.');
  const shift = Number(exponent);
  const digits = whole! + fraction;
  const point = whole!.length + shift;
  const padded = '0'.repeat(Math.max(0, -point)) + digits + '0'.repeat(Math.max(0, point - digits.length));
  const cut = Math.max(0, point);
  return { whole: padded.slice(0, cut).replace(/^0+(?=\d)/, '') || '0', fraction: padded.slice(cut) };
}
