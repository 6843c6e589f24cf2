import { isHighSurrogate, codePointAt } from '../aligned-text.ts';
import { classOf, letter, number, space } from '../unicode/character-class.ts';

/** The end of the run of characters from `at` on that are of one of the kinds `mask`, or of none of them. */
export function runEnd(units: Uint16Array, at: number, end: number, mask: number, isOf = true): number {
  let next = at;
  while (next < end) {
    const unit = units[next]!;
    const isPair = isHighSurrogate(unit);
    if (((classOf(isPair ? codePointAt(units, next) : unit) & mask) !== 0) !== isOf) return next;
    next += isPair ? 2 : 1;
  }
  return next;
}

/** The end of a run of at most `limit` such characters. */
export function shortRunEnd(
  units: Uint16Array,
  at: number,
  end: number,
  mask: number,
  limit: number,
): number {
  let next = at;
  for (let count = 0; count < limit && next < end; count++) {
    const codePoint = codePointAt(units, next);
    if ((classOf(codePoint) & mask) === 0) break;
    next += codePoint > 0xff_ff ? 2 : 1;
  }
  return next;
}

/**
 * `\s+(?!\S)|\s+`: white space up to its end, but without the last character if a word follows, unless it is the only
 * one.
 */
export function spaceEnd(units: Uint16Array, at: number, end: number): number {
  const next = runEnd(units, at, end, space);
  return next < end && next - at > 1 ? next - 1 : next;
}

export const wordLike = letter | number | space;

const apostrophe = 0x27;

/**
 * Length of the English contraction that begins at `at`: 2 for `'s`, `'t`, `'m`, `'d`, 3 for `'re`, `'ve`, `'ll`, 0 if
 * there is none.
 */
export function contractionAt(units: Uint16Array, at: number, end: number): number {
  return units[at] === apostrophe && at + 1 < end
    ? lengthOf(units[at + 1]!, at + 2 < end ? units[at + 2]! : 0)
    : 0;
}

/** `contractionAt` for `(?i:…)`. */
export function anyCaseContractionAt(units: Uint16Array, at: number, end: number): number {
  if (units[at] !== apostrophe || at + 1 >= end) return 0;
  const first = units[at + 1]!;
  if (first === 0x1_7f) return 2; // ſ is an s
  return lengthOf(first | 0x20, at + 2 < end ? units[at + 2]! | 0x20 : 0);
}

function lengthOf(first: number, second: number): number {
  switch (first) {
    case 0x73: // s
    case 0x74: // t
    case 0x6d: // m
    case 0x64: // d
      return 2;
    case 0x72: // re
    case 0x76: // ve
      return second === 0x65 ? 3 : 0;
    case 0x6c: // ll
      return second === 0x6c ? 3 : 0;
    default:
      return 0;
  }
}
