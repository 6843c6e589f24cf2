import { codePointAt, unitsOf } from '../aligned-text.ts';
import { memoizeByCodePoint } from './character-class.ts';

const extend = 1;
const prepend = 2;
const control = 3;

/** Spacing marks are included; the rules treat them the same here. */
const patterns: readonly (readonly [number, RegExp])[] = [
  [extend, /^[\p{Grapheme_Extend}\p{Emoji_Modifier}\u200D\u0E33\u0EB3]$/u],
  [
    extend,
    /^(?![\u102B\u102C\u1038\u1062-\u1064\u1067-\u106D\u1083\u1087-\u108C\u108F\u109A-\u109C\u1A61\u1A63\u1A64\uAA7B\uAA7D\u{11720}\u{11721}])\p{Mc}$/u,
  ],
  [
    prepend,
    /^[\u0600-\u0605\u06DD\u070F\u0890\u0891\u08E2\u0D4E\u{110BD}\u{110CD}\u{111C2}\u{111C3}\u{113D1}\u{1193F}\u{11941}\u{11A84}-\u{11A89}\u{11D46}\u{11F02}]$/u,
  ],
  [control, /^(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u],
];

const kindOf = memoizeByCodePoint((codePoint) => {
  const character = String.fromCodePoint(codePoint);
  return patterns.find(([, pattern]) => pattern.test(character))?.[0] ?? 0;
});

/**
 * The end of the extended grapheme cluster that begins at `at`. Clusters with parts of three UTF-8 bytes each, such as
 * Hangul syllables, end after each part: the caller looks such parts up one by one.
 * @see https://www.unicode.org/reports/tr29/
 */
export function graphemeEnd(units: Uint16Array, at: number, end: number): number {
  const first = codePointAt(units, at);
  let next = at + unitsOf(first);
  if (first < 0x3_00 && (next === end || units[next]! < 0x3_00))
    return first === 0x0d && next < end && units[next] === 0x0a ? next + 1 : next;
  for (let before = kindOf(first); next < end && before !== control;) {
    const codePoint = codePointAt(units, next);
    const kind = kindOf(codePoint);
    if (kind !== extend && (kind === control || before !== prepend)) break;
    before = kind;
    next += unitsOf(codePoint);
  }
  return next;
}
