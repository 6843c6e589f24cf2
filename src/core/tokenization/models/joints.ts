import { codePointAt, codePointBefore } from '../aligned-text.ts';
import { hashPair, powerOfTwo } from '../hash.ts';

/**
 * Between which characters a merge can ever reach across. Where none does, a long text falls into words that can be
 * merged one by one, with the same result.
 */
export interface Joints {
  /** Adds the last character of the token that ends at a place, and the first of the one that begins there. */
  add(units: Uint16Array, place: number, end: number): void;
  /** True also for a few pairs that weren't added, never false for one that was. */
  mayJoin(last: number, first: number): boolean;
}

/** @param count how many pairs there will be at most */
export function createJoints(count: number): Joints {
  const bits = powerOfTwo(Math.max(1024, 8 * count));
  const words = new Int32Array(bits / 32);
  const bitOf = (last: number, first: number): number => hashPair(last, first) & (bits - 1);
  return {
    add(units, place, end) {
      if (place === 0 || place === end) return;
      const bit = bitOf(codePointBefore(units, place), codePointAt(units, place));
      words[bit >> 5]! |= 1 << (bit & 31);
    },
    mayJoin(last, first) {
      const bit = bitOf(last, first);
      return (words[bit >> 5]! & (1 << (bit & 31))) !== 0;
    },
  };
}
