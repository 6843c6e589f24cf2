/** Random access to a short stretch of a long stream of samples: what lies before the last read is forgotten. */
export class SlidingAudio {
  readonly #blocks: AsyncIterator<Float32Array>;
  /** In order, without gaps; the first one begins at `#start`. */
  readonly #kept: Float32Array[] = [];
  #start = 0;
  #end = 0;
  #ended = false;

  constructor(blocks: AsyncIterable<Float32Array>) {
    this.#blocks = blocks[Symbol.asyncIterator]();
  }

  /** Samples that have come so far; once `ended`, all of them. */
  get length(): number {
    return this.#end;
  }

  /** Whether nothing comes after `length`. */
  get ended(): boolean {
    return this.#ended;
  }

  /** @returns `count` samples; fewer where the stream ends */
  async read(start: number, count: number): Promise<Float32Array> {
    await this.#pull(start, start + count);
    const samples = new Float32Array(Math.max(0, Math.min(this.#end, start + count) - start));
    let offset = this.#start - start;
    for (const block of this.#kept) {
      const first = Math.max(0, -offset);
      const last = Math.min(block.length, samples.length - offset);
      if (first < last) samples.set(block.subarray(first, last), offset + first);
      offset += block.length;
    }
    return samples;
  }

  async #pull(start: number, end: number): Promise<void> {
    this.#forget(start);
    while (this.#end < end && !this.#ended) {
      const { done, value } = await this.#blocks.next();
      if (done === true) this.#ended = true;
      else {
        this.#kept.push(value);
        this.#end += value.length;
        this.#forget(start);
      }
    }
  }

  #forget(before: number): void {
    while (this.#kept.length > 0 && this.#start + this.#kept[0]!.length <= before) {
      this.#start += this.#kept.shift()!.length;
    }
  }
}
