import { FairQueue } from './fair-queue.ts';

/** Time slices for long work on the event loop: one at a time, I/O in between, turns between owners. */
export class Turns {
  readonly #waiting = new FairQueue<() => void>();
  #isScheduled = false;

  /** Resolves when the owner's next slice may run; the slice ends at its next `await`. */
  next(owner?: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve, owner);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const begin = this.#waiting.take();
      if (!begin) return this.#waiting.settle();
      begin();
      this.#schedule();
    });
  }
}

/** Bounds the delay of each token of concurrent answers. */
const sliceMs = 8;

/** Runs work that yields after each small part in slices of some milliseconds, with turns between owners and an abort check per slice. */
export async function inSlices<T>(
  steps: Iterator<void, T>,
  options: {
    readonly turns: Turns;
    readonly owner: string | undefined;
    readonly signal: AbortSignal | undefined;
    /** Clock in milliseconds. */
    readonly now?: () => number;
  },
): Promise<T> {
  const { turns, owner, signal, now = performance.now.bind(performance) } = options;
  for (;;) {
    await turns.next(owner);
    signal?.throwIfAborted();
    for (const end = now() + sliceMs; ;) {
      const step = steps.next();
      if (step.done) return step.value;
      if (now() >= end) break;
    }
  }
}

/** Time after which to yield the event loop. */
const longMs = 4;

/** Runs work that yields after each small part, and yields the event loop when due. */
export async function withBreaks<T>(steps: Iterator<void, T>): Promise<T> {
  for (let since = performance.now(); ;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since <= longMs) continue;
    await yieldIfDue(since);
    since = performance.now();
  }
}

/** Yields the event loop if it was blocked for long. */
export async function yieldIfDue(since: number): Promise<void> {
  if (performance.now() - since > longMs) await new Promise<void>((resolve) => setImmediate(resolve));
}
