import { isHighSurrogate, codePointAt } from '../aligned-text.ts';
import { classOf } from '../unicode/character-class.ts';

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
