import { isHighSurrogate, codePointAt } from '../aligned-text.ts';
import { classOf, letter, number, space } from '../unicode/character-class.ts';

/** The end of the run of characters from `at` on that are of one of the kinds `mask`. */
export function runEnd(units: Uint16Array, at: number, end: number, mask: number): number {
  let next = at;
  while (next < end) {
    const unit = units[next]!;
    if (isHighSurrogate(unit)) {
      if ((classOf(codePointAt(units, next)) & mask) === 0) return next;
      next += 2;
    } else {
      if ((classOf(unit) & mask) === 0) return next;
      next++;
    }
  }
  return next;
}

/** The end of the run of characters from `at` on that are of none of the kinds `mask`. */
export function otherRunEnd(units: Uint16Array, at: number, end: number, mask: number): number {
  let next = at;
  while (next < end) {
    const unit = units[next]!;
    if (isHighSurrogate(unit)) {
      if ((classOf(codePointAt(units, next)) & mask) !== 0) return next;
      next += 2;
    } else {
      if ((classOf(unit) & mask) !== 0) return next;
      next++;
    }
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
