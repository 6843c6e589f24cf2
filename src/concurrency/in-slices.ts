import type { Turns } from './turns.ts';

/** Each token of others' answers waits for one slice. */
const sliceMs = 8;

/**
 * Runs work that yields after each small part in slices of some milliseconds: owners take turns, and who has left is
 * noticed between two slices.
 */
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

/** A stretch of the event loop that is long enough to end. */
const longMs = 4;

/** Runs work that yields after each small part, and gives the event loop to others where it has been held for long. */
export async function withBreaks<T>(steps: Iterator<void, T>): Promise<T> {
  for (let since = performance.now(); ;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (performance.now() - since <= longMs) continue;
    await letOthersRun(since);
    since = performance.now();
  }
}

/** Gives the event loop to others where it has been held for long. */
export async function letOthersRun(since: number): Promise<void> {
  if (performance.now() - since > longMs) await new Promise<void>((resolve) => setImmediate(resolve));
}
