import type { Turns } from './turns.ts';

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
  const { turns, owner, signal, now = () => performance.now() } = options;
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
