import type { CodePointRange } from './code-points.ts';
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
import { anyNumber } from './json-number.ts';

/**
 * Notation of JSON under a grammar. Free where models differ (white space after punctuation, line breaks with
 * indentation) and bounded where a weak model would go on for ever: digits, white space.
 */

/** Characters that may stand in a JSON string as they are. */
export const plainCharacters: readonly CodePointRange[] = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7ff],
  [0xe000, 0x10ffff],
];

/**
 * The characters of most text: all but the two that `.` in a pattern doesn't match, and those that markers of tool calls
 * begin with.
 */
export const plainText: readonly CodePointRange[] = [
  [0x20, 0x21],
  [0x23, 0x3b],
  [0x3d, 0x5b],
  [0x5e, 0x2027],
  [0x202a, 0xd7ff],
  [0xe000, 0x10ffff],
];

const hexDigit = character([0x30, 0x39], [0x41, 0x46], [0x61, 0x66]);

/** One escaped character; a pair of surrogates is one. */
export const escapedCharacter = sequence(
  text('\\'),
  choice(
    text('"', '\\', '/', 'b', 'f', 'n', 'r', 't'),
    sequence(
      text('u'),
      choice(
        sequence(
          character([0x30, 0x39], [0x41, 0x43], [0x45, 0x46], [0x61, 0x63], [0x65, 0x66]),
          hexDigit,
          hexDigit,
          hexDigit,
        ),
        sequence(text('D', 'd'), character([0x30, 0x37]), hexDigit, hexDigit),
        sequence(
          text('D', 'd'),
          character([0x38, 0x39], [0x41, 0x42], [0x61, 0x62]),
          hexDigit,
          hexDigit,
          text('\\uD', '\\ud'),
          character([0x43, 0x46], [0x63, 0x66]),
          hexDigit,
          hexDigit,
        ),
      ),
    ),
  ),
);

const blank = character([0x20, 0x20], [0x09, 0x09]);

const lineBreak = sequence(text('\n', '\r\n'), repeat(blank, { min: 0, max: 40 }));

/** After an opening bracket or a comma and before a closing bracket. */
const space = refer(rule('space', choice(repeat(blank, { min: 0, max: 4 }), lineBreak)));

export const comma = refer(rule('comma', sequence(optional(blank), text(','), space)));

export const colon = sequence(optional(blank), text(':'), repeat(blank, { min: 0, max: 4 }));

export function stringOf({ min, max }: { readonly min: number; readonly max: number }): Expression {
  return sequence(text('"'), { type: 'string-content', min, max }, text('"'));
}

export const anyString = refer(rule('string', stringOf({ min: 0, max: Infinity })));

/** Elements between brackets. */
export function bracketed(open: string, content: Expression, close: string): Expression {
  return sequence(text(open), space, content, space, text(close));
}

/** `item`, `min` to `max` times, with commas. */
export function listOf(
  item: Expression,
  { min, max }: { readonly min: number; readonly max: number },
  separator = comma,
): Expression {
  if (max === 0) return empty;
  const more = repeat(sequence(separator, item), { min: Math.max(0, min - 1), max: max - 1 });
  const some = sequence(item, more);
  return min === 0 ? optional(some) : some;
}

export const unlimited = { min: 0, max: Infinity };

/** Notation of values inside brackets, or alone. */
export interface LiteralWords {
  readonly anyString: Expression;
  readonly boolean: Expression;
  readonly nullText: Expression;
  /** A key of any name. */
  readonly anyKey: Expression;
}

/** Values of any kind. */
export function literals({ anyString: string, boolean, nullText, anyKey }: LiteralWords): {
  readonly anyValue: Expression;
  readonly anyMember: Expression;
  readonly anyObject: Expression;
  readonly anyArray: Expression;
} {
  const valueRule = rule('value');
  const value = refer(valueRule);
  const anyMember = refer(rule('pair', sequence(anyKey, colon, value)));
  const anyObject = refer(rule('object', bracketed('{', listOf(anyMember, unlimited), '}')));
  const anyArray = refer(rule('array', bracketed('[', listOf(value, unlimited), ']')));
  valueRule.body = choice(string, anyNumber, boolean, nullText, anyObject, anyArray);
  return { anyValue: value, anyMember, anyObject, anyArray };
}
