import { isHighSurrogate, codePointAt } from '../aligned-text.ts';
import { classOf } from '../unicode/character-class.ts';

/** The end of the run from `at` on of characters of the kinds in `mask`, or of all different kinds if `isOf` is false. */
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
