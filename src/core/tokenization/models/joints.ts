/**
 * Between which characters a merge can ever reach across. Where none does, a long text falls into words that can be
 * merged one by one, with the same result.
 */
export interface Joints {
  add(last: number, first: number): void;
  /** True also for a few pairs that weren't added, never false for one that was. */
  mayJoin(last: number, first: number): boolean;
}

/** @param count how many pairs there will be at most */
export function createJoints(count: number): Joints {
  const bits = 2 ** Math.ceil(Math.log2(Math.max(1024, 8 * count)));
  const words = new Int32Array(bits / 32);
  const bitOf = (last: number, first: number): number => {
    const hash = Math.imul(last, 0x9e_37_79_b1) ^ Math.imul(first, 0x85_eb_ca_77);
    return (hash ^ (hash >>> 15)) & (bits - 1);
  };
  return {
    add(last, first) {
      const bit = bitOf(last, first);
      words[bit >> 5]! |= 1 << (bit & 31);
    },
    mayJoin(last, first) {
      const bit = bitOf(last, first);
      return (words[bit >> 5]! & (1 << (bit & 31))) !== 0;
    },
  };
}
