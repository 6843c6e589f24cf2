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
  type Bounds,
  type Expression,
} from './expression.ts';
import { anyNumber } from './json-number.ts';
import { matching } from './regular-expression.ts';

/**
 * JSON's notation in a grammar. Free where models differ (white space after punctuation, line breaks with indentation)
 * and bounded where a weak model would never stop: digits, white space.
 */

/** Characters that need no escape in a JSON string. */
const plainCharacters: readonly CodePointRange[] = [
  [0x20, 0x21],
  [0x23, 0x5b],
  [0x5d, 0xd7ff],
  [0xe000, 0x10ffff],
];

/**
 * The characters of most text: all except the two that `.` in a pattern doesn't match, and the first characters of tool
 * call markers.
 */
export const plainText: readonly CodePointRange[] = [
  [0x20, 0x21],
  [0x23, 0x3b],
  [0x3d, 0x5b],
  [0x5e, 0x2027],
  [0x202a, 0xd7ff],
  [0xe000, 0x10ffff],
];

const hex = '[0-9A-Fa-f]';

/** One escaped character; a surrogate pair is one. */
export const escapedCharacter = matching(
  String.raw`\\(["\\/bfnrt]|u([0-9A-CEFa-cef]${hex}{3}|[Dd]([0-7]${hex}{2}|[89ABab]${hex}{2}\\u[Dd][C-Fc-f]${hex}{2})))`,
);

/** After an opening bracket or a comma and before a closing bracket. */
const space = refer(rule('space', matching(String.raw`[ \t]{0,4}|\r?\n[ \t]{0,40}`)));

export const comma = refer(rule('comma', sequence(matching(String.raw`[ \t]?,`), space)));

export const colon = matching(String.raw`[ \t]?:[ \t]{0,4}`);

export const stringCharacter = choice(character(...plainCharacters), escapedCharacter);

export function stringOf({ min, max }: Bounds): Expression {
  return sequence(text('"'), { type: 'repeat', item: stringCharacter, min, max }, text('"'));
}

export const anyString = refer(rule('string', stringOf({ min: 0, max: Infinity })));

export function bracketed(open: string, content: Expression, close: string): Expression {
  return sequence(text(open), space, content, space, text(close));
}

/** `min` to `max` items, separated by commas. */
export function listOf(item: Expression, { min, max }: Bounds, separator = comma): Expression {
  if (max === 0) return empty;
  const more = repeat(sequence(separator, item), { min: Math.max(0, min - 1), max: max - 1 });
  const some = sequence(item, more);
  return min === 0 ? optional(some) : some;
}

export const unlimited = { min: 0, max: Infinity };

export interface LiteralWords {
  readonly anyString: Expression;
  readonly boolean: Expression;
  readonly nullText: Expression;
  readonly anyKey: Expression;
}

export function literals({ anyString: string, boolean, nullText, anyKey }: LiteralWords) {
  const valueRule = rule('value');
  const value = refer(valueRule);
  const anyMember = refer(rule('pair', sequence(anyKey, colon, value)));
  const anyObject = refer(rule('object', bracketed('{', listOf(anyMember, unlimited), '}')));
  const anyArray = refer(rule('array', bracketed('[', listOf(value, unlimited), ']')));
  valueRule.body = choice(string, anyNumber, boolean, nullText, anyObject, anyArray);
  return { anyValue: value, anyMember, anyObject, anyArray };
}
