export interface EventStreamSource<E> {
  /** The consumer has pulled the first event. */
  onStart?(): void;
  /** The consumer returned early, without reading these events. */
  onReturn?(unread: readonly E[]): void;
}

interface Waiter<E> {
  resolve(result: IteratorResult<E, undefined>): void;
  reject(error: unknown): void;
}

/** Push–pull queue of events for one consumer. Unlike an async generator's, its `return()` also acts during a pending `next()`. */
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

  /** Adds events in order; no effect after the end. */
  push(events: readonly E[]): void {
    if (this.#ended) return;
    for (const event of events) {
      const waiter = this.#waiters.shift();
      if (waiter) waiter.resolve({ value: event, done: false });
      else this.#buffer.push(event);
    }
  }

  /** Ends the stream after the buffered events, with an optional error. */
  end(error?: unknown): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#error = error;
    for (const waiter of this.#waiters.splice(0)) this.#settle(waiter);
  }

  /** Ends the stream immediately and drops buffered events. */
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

/** The events that work adds. It begins with the first read; its signal is aborted with the given one, or when the consumer returns. */
export function streamOf<E>(
  work: (add: (event: E) => void, signal: AbortSignal) => Promise<void>,
  signal?: AbortSignal,
): EventStream<E> {
  const left = new AbortController();
  const either = signal ? AbortSignal.any([signal, left.signal]) : left.signal;
  const stream: EventStream<E> = new EventStream<E>({
    onStart: () =>
      void work((event) => stream.push([event]), either).then(
        () => stream.end(),
        (error: unknown) => stream.end(error),
      ),
    onReturn: () => left.abort(),
  });
  return stream;
}

export function failedStream<E>(error: Error): EventStream<E> {
  const stream = new EventStream<E>();
  stream.fail(error);
  return stream;
}
