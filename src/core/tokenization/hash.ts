/** A running hash of UTF-16 code units, by FNV-1a: `hash = hashStep(hash, unit)` from `hashStart` on. */
export const hashStart = 0x81_1c_9d_c5 | 0;

export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01_00_01_93);
}

/** Spreads what the last steps did to the low bits, which choose the slot. */
export function hashEnd(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return mixed ^ (mixed >>> 13);
}

/** The power of two that holds `count` items at a load of at most a half. */
export function slotsFor(count: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(4, 2 * count)));
}
