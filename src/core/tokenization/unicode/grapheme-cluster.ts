import { codePointAt, unitsOf } from '../aligned-text.ts';
import { memoizeByCodePoint } from './character-class.ts';

const control = 1;
const extend = 2;
const prepend = 4;
const leading = 8;
const vowel = 16;
const trailing = 32;
const pictographic = 64;
const regional = 128;
const joiner = 256;
const consonant = 512;
const linker = 1024;

const vowelSyllable = leading | vowel;
const closedSyllable = vowel | trailing;

/** Spacing marks count as well; the rules don't tell them apart from others here. */
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
  [leading, /^[\u1100-\u115F\uA960-\uA97C]$/],
  [vowel, /^[\u1160-\u11A7\uD7B0-\uD7C6\u{16D63}\u{16D67}-\u{16D6A}]$/u],
  [trailing, /^[\u11A8-\u11FF\uD7CB-\uD7FB]$/],
  [pictographic, /^\p{Extended_Pictographic}$/u],
  [regional, /^\p{Regional_Indicator}$/u],
  [joiner, /^\u200D$/],
  [
    consonant,
    /^[\u0915-\u0939\u0958-\u095F\u0978-\u097F\u0995-\u09A8\u09AA-\u09B0\u09B2\u09B6-\u09B9\u09DC\u09DD\u09DF\u09F0\u09F1\u0A95-\u0AA8\u0AAA-\u0AB0\u0AB2\u0AB3\u0AB5-\u0AB9\u0AF9\u0B15-\u0B28\u0B2A-\u0B30\u0B32\u0B33\u0B35-\u0B39\u0B5C\u0B5D\u0B5F\u0B71\u0C15-\u0C28\u0C2A-\u0C39\u0C58-\u0C5A\u0D15-\u0D3A]$/,
  ],
  [linker, /^[\u094D\u09CD\u0ACD\u0B4D\u0C4D\u0D4D]$/],
];

const controls = /^(?![\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]$/u;

const kindOf = memoizeByCodePoint(findKind);

function findKind(codePoint: number): number {
  if (codePoint >= 0xac_00 && codePoint <= 0xd7_a3)
    return (codePoint - 0xac_00) % 28 === 0 ? vowelSyllable : closedSyllable;
  const character = String.fromCodePoint(codePoint);
  let kind = 0;
  for (const [bit, pattern] of patterns) if (pattern.test(character)) kind |= bit;
  return (kind & (extend | prepend)) === 0 && controls.test(character) ? control : kind;
}

/**
 * The end of the extended grapheme cluster, what a reader takes for one character, that begins at `at`.
 * @see https://www.unicode.org/reports/tr29/
 */
export function graphemeEnd(units: Uint16Array, at: number, end: number): number {
  const first = codePointAt(units, at);
  let next = at + unitsOf(first);
  if (first < 0x3_00 && (next === end || units[next]! < 0x3_00))
    return first === 0x0d && next < end && units[next] === 0x0a ? next + 1 : next;
  let before = kindOf(first);
  /** Whether a picture came, and marks only after it; the same for a consonant, and whether a linker came too. */
  let afterPicture = (before & pictographic) !== 0;
  let afterConsonant = (before & consonant) !== 0;
  let linked = false;
  let regionals = Number((before & regional) !== 0);
  while (next < end) {
    const codePoint = codePointAt(units, next);
    const kind = kindOf(codePoint);
    const joins =
      ((before | kind) & control) === 0 &&
      ((kind & extend) !== 0 ||
        (before & prepend) !== 0 ||
        joinsHangul(before, kind) ||
        ((before & joiner) !== 0 && afterPicture && (kind & pictographic) !== 0) ||
        ((kind & regional) !== 0 && regionals === 1 && (before & regional) !== 0) ||
        (linked && (kind & consonant) !== 0));
    if (!joins) return next;
    if ((kind & extend) === 0) {
      afterPicture = (kind & pictographic) !== 0;
      afterConsonant = (kind & consonant) !== 0;
      linked = false;
      regionals += Number((kind & regional) !== 0);
    } else if (afterConsonant && (kind & linker) !== 0) {
      linked = true;
    }
    before = kind;
    next += unitsOf(codePoint);
  }
  return next;
}

function joinsHangul(before: number, kind: number): boolean {
  if (((before | kind) & (leading | vowel | trailing)) === 0) return false;
  const isLeading = (before & vowelSyllable) === leading;
  if (isLeading) return (kind & (leading | vowel)) !== 0;
  const isOpen = (before & vowel) !== 0 && (before & trailing) === 0;
  if (isOpen) return kind === vowel || kind === trailing;
  return (before & trailing) !== 0 && kind === trailing;
}
