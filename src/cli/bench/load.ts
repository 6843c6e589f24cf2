import { setMaxListeners } from 'node:events';

export interface Load {
  readonly concurrency: number;
  /** Maximum requests; `Infinity` for as many as the time allows. */
  readonly requests: number;
  /** No request starts later; running ones may finish. */
  readonly durationMs: number;
}

/** Starts requests while allowed, and waits for them. */
export type Begin = (requests: {
  mayBegin(): boolean;
  one(): Promise<void>;
  readonly signal: AbortSignal;
}) => Promise<void>;

export interface LoadOptions {
  /** Aborting it ends everything; the results so far remain. */
  readonly signal: AbortSignal;
  /** Default: each request starts when the previous one ends. */
  readonly begin?: Begin | undefined;
  readonly onProgress?: ((done: number, elapsedMs: number) => void) | undefined;
}

/** Sends requests as slots become free, until the number or the time is reached. */
export async function applyLoad<Sample>(
  { concurrency, requests, durationMs }: Load,
  send: (index: number, signal: AbortSignal) => Promise<Sample>,
  { signal, onProgress, begin }: LoadOptions,
) {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  // Every request adds a listener.
  setMaxListeners(0, either);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  /** From the first request to the end of the last counted one. */
  let elapsedMs = 0;
  let begun = 0;
  const mayBegin = (): boolean =>
    !either.aborted && begun < requests && performance.now() - startedAt < durationMs;
  const one = async (): Promise<void> => {
    try {
      const sample = await send(begun++, either);
      // An aborted request may end like a complete one.
      if (either.aborted) return;
      samples.push(sample);
      elapsedMs = performance.now() - startedAt;
      onProgress?.(samples.length, elapsedMs);
    } catch (error) {
      if (!either.aborted) failure.abort(error);
    }
  };
  const lane = async (): Promise<void> => {
    while (mayBegin()) await one();
  };
  await (begin
    ? begin({ mayBegin, one, signal: either })
    : Promise.all(Array.from({ length: Math.min(concurrency, requests) }, lane)));
  if (failure.signal.aborted) throw failure.signal.reason;
  return { samples, elapsedMs, isInterrupted: signal.aborted };
}
