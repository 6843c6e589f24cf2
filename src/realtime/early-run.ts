import type { SocketRunOptions } from '../contracts/endpoint.ts';

/** A run that begins before it is certain to be needed. It keeps its events, and is charged only if it is used. */
export class EarlyRun<Event> implements AsyncIterable<Event> {
  /** Resolves when the run is used or dropped. */
  readonly isUsed: Promise<boolean>;
  readonly #controller = new AbortController();
  readonly #events: Event[] = [];
  #decide!: (isUsed: boolean) => void;
  readonly #waiters: (() => void)[] = [];
  #hasEnded = false;
  #isTaken = false;
  #failure: unknown;
  #onEnd: (() => void) | undefined;

  constructor(
    start: (options: Required<Pick<SocketRunOptions, 'signal' | 'isUsed'>>) => AsyncIterable<Event>,
  ) {
    this.isUsed = new Promise((resolve) => (this.#decide = resolve));
    void this.#read(start({ signal: this.#controller.signal, isUsed: this.isUsed }));
  }

  get hasFailed(): boolean {
    return this.#failure !== undefined;
  }

  /** @param signal aborts the run from now on */
  use(signal?: AbortSignal): AsyncIterable<Event> {
    this.#isTaken = true;
    this.#decide(true);
    const abort = (): void => this.#controller.abort();
    if (!this.#hasEnded) signal?.addEventListener('abort', abort, { once: true });
    this.#onEnd = () => signal?.removeEventListener('abort', abort);
    return this;
  }

  /** Aborts it, unless it is used. */
  drop(): void {
    if (this.#isTaken) return;
    this.#decide(false);
    this.#controller.abort();
  }

  /** All events from the first one. */
  async *[Symbol.asyncIterator](): AsyncGenerator<Event> {
    for (let at = 0; ; at++) {
      while (at >= this.#events.length && !this.#hasEnded)
        await new Promise<void>((resolve) => this.#waiters.push(resolve));
      if (at < this.#events.length) yield this.#events[at]!;
      else if (this.hasFailed) throw this.#failure;
      else return;
    }
  }

  async #read(events: AsyncIterable<Event>): Promise<void> {
    try {
      for await (const event of events) {
        this.#events.push(event);
        this.#wake();
      }
    } catch (error) {
      this.#failure = error;
    }
    this.#hasEnded = true;
    this.#onEnd?.();
    this.#wake();
  }

  #wake(): void {
    for (const resolve of this.#waiters.splice(0)) resolve();
  }
}
