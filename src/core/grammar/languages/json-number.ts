import { decimalRange, inclusive } from '../schemas/decimal-range.ts';
import { choice, optional, refer, rule, sequence, text } from './expression.ts';
import { matching } from './regular-expression.ts';

/** Maximum digits of integers without a bound. */
export const maxWholeDigits = 20;
/** Significant digits that distinguish any two doubles. */
export const maxSignificant = 17;

const sign = optional(text('-'));
const maxInteger = inclusive(10n ** BigInt(maxWholeDigits) - 1n);

/** Integers with the digits of ids: unsigned 64-bit integers, and more. */
export const anyInteger = refer(
  rule('integer', sequence(sign, decimalRange(inclusive(0), maxInteger, { fractionDigits: 0 }))),
);

/** The rest of a number with `count` digits before the point: a regular expression. */
function afterDigits(count: number): string {
  const more = count < maxSignificant ? `|\\d${afterDigits(count + 1)}` : `|\\d{1,${maxWholeDigits - count}}`;
  return `(\\.\\d{1,${Math.max(1, maxSignificant - count)}}${more})?`;
}

const most = maxSignificant - 1;
const decimal = matching(`(0(\\.0{0,6}(0|[1-9]\\d{0,${most}}))?|[1-9]${afterDigits(1)})([eE][+-]?\\d{1,2})?`);
/** Large exponents only follow a single digit, so that no number exceeds the largest double. */
const scientific = matching(
  `[1-9](\\.\\d{1,${most}})?[eE](\\+?([0-2]\\d\\d|30[0-7])|-([0-2]\\d\\d|3[01]\\d|32[0-4]))`,
);
const upToLargest = decimalRange(inclusive(1), inclusive(1.7976931348623157), { fractionDigits: most });
const largest = sequence(upToLargest, matching('[eE]\\+?308'));

export const nonNegativeNumber = refer(rule('non-negative number', choice(decimal, scientific, largest)));

/** All doubles, in every notation that programs use. */
export const anyNumber = refer(rule('number', sequence(sign, nonNegativeNumber)));
