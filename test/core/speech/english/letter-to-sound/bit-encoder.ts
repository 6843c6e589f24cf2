import { adapt, maxSeen } from '../../../../../src/core/speech/english/bit-decoder.ts';

const half = 1 << 15;

/** Writes bits for `BitDecoder`. */
export class BitEncoder {
  readonly #bytes: number[] = [];
  readonly #chances = new Map<number, { chance: number; seen: number }>();
  #low = 0;
  #range = 0xffff_ffff;

  bit(context: number, bit: 0 | 1): void {
    const { chance, seen } = this.#chances.get(context) ?? { chance: half, seen: 0 };
    const bound = (this.#range >>> 16) * chance;
    if (bit === 0) this.#range = bound;
    else {
      this.#low += bound;
      this.#range -= bound;
    }
    this.#chances.set(context, { chance: adapt(chance, bit, seen), seen: Math.min(maxSeen, seen + 1) });
    if (this.#low >= 2 ** 32) this.#carry();
    while (this.#range < 1 << 24) {
      this.#range = (this.#range << 8) >>> 0;
      this.#shift();
    }
  }

  number(context: number, bits: number, value: number): void {
    for (let at = bits - 1, node = 1; at >= 0; at--) {
      const bit = ((value >> at) & 1) as 0 | 1;
      this.bit(context + node, bit);
      node = 2 * node + bit;
    }
  }

  finish(): Uint8Array<ArrayBuffer> {
    for (let byte = 0; byte < 4; byte++) this.#shift();
    return Uint8Array.from(this.#bytes);
  }

  #shift(): void {
    this.#bytes.push(this.#low >>> 24);
    this.#low = (this.#low << 8) >>> 0;
  }

  #carry(): void {
    this.#low -= 2 ** 32;
    let at = this.#bytes.length - 1;
    while (this.#bytes[at] === 255) this.#bytes[at--] = 0;
    this.#bytes[at]! += 1;
  }
}
