const leastCapacity = 2 ** 14;

/** The end of a long stream of bytes; positions count from its beginning. */
export class AudioBuffer {
  #bytes = new Uint8Array(leastCapacity);
  #start = 0;
  #length = 0;

  /** Position of the first byte that is kept. */
  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#start + this.#length;
  }

  get length(): number {
    return this.#length;
  }

  /** Bytes of memory: four times those that are kept at most, beyond the least. */
  get capacity(): number {
    return this.#bytes.length;
  }

  append(bytes: Uint8Array): void {
    const length = this.#length + bytes.length;
    if (length > this.#bytes.length) this.#resize(Math.max(length, 2 * this.#bytes.length));
    this.#bytes.set(bytes, this.#length);
    this.#length = length;
  }

  /** @returns a copy */
  slice(start: number, end: number): Uint8Array {
    return this.#bytes.slice(start - this.#start, end - this.#start);
  }

  /** Forgets what is before a position. */
  drop(before: number): void {
    const count = Math.min(before, this.end) - this.#start;
    if (count <= 0) return;
    this.#bytes.copyWithin(0, count, this.#length);
    this.#start += count;
    this.#length -= count;
    const enough = Math.max(leastCapacity, 2 * this.#length);
    if (this.#bytes.length > 2 * enough) this.#resize(enough);
  }

  #resize(capacity: number): void {
    const bytes = new Uint8Array(capacity);
    bytes.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = bytes;
  }
}
