import { decimalRange } from '../schemas/decimal-range.ts';
import { choice, optional, refer, rule, sequence, text } from './expression.ts';
import { matching } from './regular-expression.ts';

/** Digits of whole numbers where no bound says otherwise. */
export const maxWholeDigits = 20;
/** Significant digits that tell any two doubles apart. */
export const maxSignificant = 17;

const sign = optional(text('-'));
const largestInteger = { value: 10n ** BigInt(maxWholeDigits) - 1n, exclusive: false };

/** Integers of the digits that ids have: those of 64 bits without a sign, and more. */
export const anyInteger = refer(
  rule(
    'integer',
    sequence(sign, decimalRange({ value: 0, exclusive: false }, largestInteger, { fractionDigits: 0 })),
  ),
);

/** The rest of a number that has so many digits before the point: a regular expression. */
function afterDigits(count: number): string {
  const more = count < maxSignificant ? `|\\d${afterDigits(count + 1)}` : `|\\d{1,${maxWholeDigits - count}}`;
  return `(\\.\\d{1,${Math.max(1, maxSignificant - count)}}${more})?`;
}

const most = maxSignificant - 1;
const decimal = matching(`(0(\\.0{0,6}(0|[1-9]\\d{0,${most}}))?|[1-9]${afterDigits(1)})([eE][+-]?\\d{1,2})?`);
/** Larger exponents stand behind a single digit, so that no number is beyond the largest double. */
const scientific = matching(
  `[1-9](\\.\\d{1,${most}})?[eE](\\+?([0-2]\\d\\d|30[0-7])|-([0-2]\\d\\d|3[01]\\d|32[0-4]))`,
);
const upToLargest = decimalRange(
  { value: 1, exclusive: false },
  { value: 1.7976931348623157, exclusive: false },
  { fractionDigits: most },
);
const largest = sequence(upToLargest, matching('[eE]\\+?308'));

/** All doubles that aren't negative. */
export const nonNegativeNumber = refer(rule('non-negative number', choice(decimal, scientific, largest)));

/** All doubles, in each notation that programs write them in. */
export const anyNumber = refer(rule('number', sequence(sign, nonNegativeNumber)));
