/** A running FNV-1a hash of UTF-16 code units: `hash = hashStep(hash, unit)` from `hashStart` on. */
export const hashStart = 0x81_1c_9d_c5 | 0;

export function hashStep(hash: number, unit: number): number {
  return Math.imul(hash ^ unit, 0x01_00_01_93);
}

/** The running hash of `units[start, end)`. */
export function hashOf(units: Uint16Array, start: number, end: number): number {
  let hash = hashStart;
  for (let index = start; index < end; index++) hash = hashStep(hash, units[index]!);
  return hash;
}

/** Mixes the last steps into all bits: the low bits select the slot, the high bits are its tag. */
export function hashEnd(hash: number): number {
  const mixed = Math.imul(hash ^ (hash >>> 15), 0x2c_1b_3c_6d);
  return mixed ^ (mixed >>> 13);
}

export function hashPair(left: number, right: number): number {
  const hash = Math.imul(left, 0x9e_37_79_b1) ^ Math.imul(right, 0x85_eb_ca_77);
  return hashEnd(hash);
}

/**
 * The slots of an open-addressed hash table (linear probing) of entries stored elsewhere, numbered from 0. A slot holds
 * the entry's number + 1 and, in its remaining bits, a tag from the hash, so that a miss rarely touches an entry. A
 * free slot holds 0.
 */
export interface Slots {
  readonly slots: Int32Array;
  /** The bits of a slot for the entry's number + 1; the tag has the rest. */
  readonly entryBits: number;
}

/** @param count maximum number of entries */
export function createSlots(count: number, load: number): Slots {
  return { slots: new Int32Array(powerOfTwo(count / load)), entryBits: powerOfTwo(count + 1) - 1 };
}

/** The lowest power of two not below `atLeast`, at least 4. */
function powerOfTwo(atLeast: number): number {
  return 2 ** Math.ceil(Math.log2(Math.max(4, atLeast)));
}

/** A set of mixed hashes, with rare false positives and no false negatives. */
export interface HashSet {
  add(hash: number): void;
  has(hash: number): boolean;
}

/** @param count maximum number of hashes */
export function createHashSet(count: number): HashSet {
  const bits = powerOfTwo(Math.max(1024, 8 * count));
  const words = new Int32Array(bits / 32);
  return {
    add(hash) {
      const bit = hash & (bits - 1);
      words[bit >> 5]! |= 1 << (bit & 31);
    },
    has(hash) {
      const bit = hash & (bits - 1);
      return (words[bit >> 5]! & (1 << (bit & 31))) !== 0;
    },
  };
}
