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
