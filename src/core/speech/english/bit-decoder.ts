const contexts = 1 << 15;
const one = 1 << 16;
/** Bits of a context that count; later ones displace the first. */
export const maxSeen = 126;

/**
 * Reads bits that were written with the probability of their context, which adapts to them (binary arithmetic coding).
 * Source: G. Martin: Range encoding (1979)
 */
export class BitDecoder {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  /** Probability of a zero, in 65,536ths. */
  readonly #chances = new Uint16Array(contexts).fill(one / 2);
  readonly #seen = new Uint8Array(contexts);
  #at = 0;
  #range = 0xffff_ffff;
  #code = 0;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    for (let byte = 0; byte < 4; byte++) this.#code = this.#next();
  }

  bit(context: number): 0 | 1 {
    const chance = this.#chances[context]!;
    const bound = (this.#range >>> 16) * chance;
    const bit = this.#code < bound ? 0 : 1;
    if (bit === 0) this.#range = bound;
    else {
      this.#range -= bound;
      this.#code -= bound;
    }
    this.#chances[context] = adapt(chance, bit, this.#seen[context]!);
    if (this.#seen[context]! < maxSeen) this.#seen[context]! += 1;
    while (this.#range < 1 << 24) {
      this.#range = (this.#range << 8) >>> 0;
      this.#code = this.#next();
    }
    return bit;
  }

  /** A number of some bits; it takes as many contexts as it has values. */
  number(context: number, bits: number): number {
    let value = 1;
    while (value < 1 << bits) value = 2 * value + this.bit(context + value);
    return value - (1 << bits);
  }

  #next(): number {
    return ((this.#code << 8) | (this.#bytes[this.#at++] ?? 0)) >>> 0;
  }
}

/** The probability of a zero after a bit; the first bits of a context change it more than later ones. */
export function adapt(chance: number, bit: 0 | 1, seen: number): number {
  const share = 32 - Math.clz32(seen + 1);
  return bit === 0 ? chance + ((one - chance) >>> share) : chance - (chance >>> share);
}
