export interface EventStreamSource<E> {
  /** The consumer has asked for the first event. */
  onStart?(): void;
  /** The consumer has left before the end, without reading these events. */
  onReturn?(unread: readonly E[]): void;
}

interface Waiter<E> {
  resolve(result: IteratorResult<E, undefined>): void;
  reject(error: unknown): void;
}

/**
 * Events that are pushed in and pulled out, for one consumer. Unlike an async generator's, its `return()` also acts
 * while a `next()` is waiting.
 */
export class EventStream<E> implements AsyncIterableIterator<E, undefined> {
  readonly #source: EventStreamSource<E>;
  readonly #waiters: Waiter<E>[] = [];
  #buffer: E[] = [];
  #read = 0;
  #started = false;
  #ended = false;
  #error: unknown;

  constructor(source: EventStreamSource<E> = {}) {
    this.#source = source;
  }

  /** Adds events in order; after the end it does nothing. */
  push(events: readonly E[]): void {
    if (this.#ended) return;
    for (const event of events) {
      const waiter = this.#waiters.shift();
      if (waiter) waiter.resolve({ value: event, done: false });
      else this.#buffer.push(event);
    }
  }

  /** Ends the stream after the events that are still buffered, with the error if there is one. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    for (const waiter of this.#waiters.splice(0)) this.#settle(waiter);
  }

  /** Ends the stream at once; buffered events are dropped. */
  fail(error: Error): void {
    this.#dropBuffer();
    this.end(error);
  }

  next(): Promise<IteratorResult<E, undefined>> {
    if (!this.#started) {
      this.#started = true;
      if (!this.#ended) this.#source.onStart?.();
    }
    if (this.#read < this.#buffer.length) {
      const value = this.#buffer[this.#read++]!;
      if (this.#read === this.#buffer.length) this.#dropBuffer();
      return Promise.resolve({ value, done: false });
    }
    return new Promise((resolve, reject) => {
      const waiter = { resolve, reject };
      if (this.#ended) this.#settle(waiter);
      else this.#waiters.push(waiter);
    });
  }

  return(): Promise<IteratorResult<E, undefined>> {
    const unread = this.#buffer.slice(this.#read);
    this.#dropBuffer();
    this.#error = undefined;
    if (!this.#ended) {
      this.end();
      if (this.#started) this.#source.onReturn?.(unread);
    }
    return Promise.resolve({ value: undefined, done: true });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #dropBuffer(): void {
    this.#buffer = [];
    this.#read = 0;
  }

  #settle(waiter: Waiter<E>): void {
    const error = this.#error;
    this.#error = undefined;
    if (error) waiter.reject(error);
    else waiter.resolve({ value: undefined, done: true });
  }
}

/** A stream that has nothing but this error. */
export function failedStream<E>(error: Error): EventStream<E> {
  const stream = new EventStream<E>();
  stream.fail(error);
  return stream;
}
