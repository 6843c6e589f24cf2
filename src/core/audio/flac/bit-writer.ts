/** Writes bits, the most significant first, into bytes that it reuses. */
export class BitWriter {
  readonly #bytes: Uint8Array;
  #length = 0;
  /** The last bits, which don't fill a byte yet, at the low end. */
  #pending = 0;
  #pendingBits = 0;

  /** @param capacity bytes that fit in */
  constructor(capacity: number) {
    this.#bytes = new Uint8Array(capacity);
  }

  clear(): void {
    this.#length = this.#pending = this.#pendingBits = 0;
  }

  /**
   * @param value an integer of which the lowest `bits` are written: a negative one in two's complement
   * @param bits from 0 to 24
   */
  write(value: number, bits: number): void {
    this.#pending = (this.#pending << bits) | (value & ((1 << bits) - 1));
    this.#pendingBits += bits;
    while (this.#pendingBits >= 8) {
      this.#pendingBits -= 8;
      this.#bytes[this.#length++] = this.#pending >>> this.#pendingBits;
    }
  }

  /** Writes as many zeros as `value` says, and a one. */
  writeUnary(value: number): void {
    let zeros = value;
    for (; zeros > 23; zeros -= 24) this.write(0, 24);
    this.write(1, zeros + 1);
  }

  /** Fills the last byte up with zeros. @returns all bytes so far, in memory that stays this object's */
  finish(): Uint8Array {
    if (this.#pendingBits > 0) this.write(0, 8 - this.#pendingBits);
    return this.#bytes.subarray(0, this.#length);
  }
}
