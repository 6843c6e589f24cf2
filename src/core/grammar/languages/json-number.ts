import { decimalRange, digit } from '../schemas/decimal-range.ts';
import {
  character,
  choice,
  empty,
  optional,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
} from './expression.ts';

/** Significant digits that tell any two doubles apart. */
export const maxSignificant = 17;

const nonzero = character([0x31, 0x39]);
const sign = optional(text('-'));
const point = text('.');
const largestInteger = { value: Number.MAX_SAFE_INTEGER, exclusive: false };

const digits = (min: number, max: number): Expression => repeat(digit, { min, max });

/** All integers that no other number is the same double as. */
export const anyInteger = refer(
  rule(
    'integer',
    sequence(sign, decimalRange({ value: 0, exclusive: false }, largestInteger, { fractionDigits: 0 })),
  ),
);

/** The rest of a number that has so many digits before the point. */
function afterDigits(count: number): Expression {
  const fraction = sequence(point, digits(1, Math.max(1, maxSignificant - count)));
  const more = count < maxSignificant ? [sequence(digit, afterDigits(count + 1))] : [];
  return choice(empty, fraction, ...more);
}

const belowOne = sequence(
  point,
  repeat(text('0'), { min: 0, max: 6 }),
  choice(text('0'), sequence(nonzero, digits(0, maxSignificant - 1))),
);
const decimal = choice(sequence(text('0'), optional(belowOne)), sequence(nonzero, afterDigits(1)));
const exponentMark = text('e', 'E');

/** Larger exponents stand behind a single digit, so that no number is beyond the largest double. */
const scientific = sequence(
  nonzero,
  optional(sequence(point, digits(1, maxSignificant - 1))),
  exponentMark,
  choice(
    sequence(
      optional(text('+')),
      choice(sequence(character([0x30, 0x32]), digits(2, 2)), sequence(text('30'), character([0x30, 0x37]))),
    ),
    sequence(
      text('-'),
      choice(
        sequence(character([0x30, 0x32]), digits(2, 2)),
        sequence(text('3'), character([0x30, 0x31]), digit),
        sequence(text('32'), character([0x30, 0x34])),
      ),
    ),
  ),
);
const upToLargest = decimalRange(
  { value: 1, exclusive: false },
  { value: 1.7976931348623157, exclusive: false },
  { fractionDigits: maxSignificant - 1 },
);
const largest = sequence(upToLargest, exponentMark, text('308', '+308'));

/** All doubles that aren't negative. */
export const nonNegativeNumber = refer(
  rule(
    'non-negative number',
    choice(
      sequence(decimal, optional(sequence(exponentMark, optional(text('+', '-')), digits(1, 2)))),
      scientific,
      largest,
    ),
  ),
);

/** All doubles, in each notation that programs write them in. */
export const anyNumber = refer(rule('number', sequence(sign, nonNegativeNumber)));
