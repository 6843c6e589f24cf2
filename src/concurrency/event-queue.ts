/** Hands values from a producer to one consumer that iterates; what isn't consumed yet waits in order. */
export class EventQueue<T> implements AsyncIterable<T> {
  #values: T[] = [];
  #ended = false;
  #error: unknown;
  #wake: (() => void) | undefined;

  push(value: T): void {
    this.#values.push(value);
    this.#wake?.();
  }

  end(): void {
    this.#ended = true;
    this.#wake?.();
  }

  /** The consumer gets what waits first, then the error. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.end();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T> {
    for (;;) {
      const values = this.#values;
      this.#values = [];
      yield* values;
      if (this.#values.length > 0) continue;
      if (this.#ended) break;
      await new Promise<void>((resolve) => (this.#wake = resolve));
      this.#wake = undefined;
    }
    if (this.#error !== undefined) throw this.#error;
  }
}
