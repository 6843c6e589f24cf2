import { setMaxListeners } from 'node:events';

/** Load on a model. */
export interface Load {
  /** Requests at the same time. */
  readonly concurrency: number;
  /** Most requests; `Infinity` for as many as fit into the time. */
  readonly requests: number;
  /** No request begins later; those that run may end. */
  readonly durationMs: number;
}

/** Begins requests until none may begin any more, and waits for them. */
export type Begin = (requests: {
  mayBegin(): boolean;
  one(): Promise<void>;
  readonly signal: AbortSignal;
}) => Promise<void>;

export interface LoadOptions {
  /** Aborting it ends everything; what was measured by then is the result. */
  readonly signal: AbortSignal;
  /** Default: each request begins when another ends. */
  readonly begin?: Begin | undefined;
  /** Told after every request. */
  readonly onProgress?: ((done: number, elapsedMs: number) => void) | undefined;
}

/** Sends requests, each as soon as there is room for it, until there were enough or the time is over. */
export async function applyLoad<Sample>(
  { concurrency, requests, durationMs }: Load,
  send: (index: number, signal: AbortSignal) => Promise<Sample>,
  { signal, onProgress, begin }: LoadOptions,
) {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  // Every request listens.
  setMaxListeners(0, either);
  const samples: Sample[] = [];
  const startedAt = performance.now();
  /** From the first request to the end of the last one that counts. */
  let elapsedMs = 0;
  let begun = 0;
  const mayBegin = (): boolean =>
    !either.aborted && begun < requests && performance.now() - startedAt < durationMs;
  const one = async (): Promise<void> => {
    try {
      const sample = await send(begun++, either);
      // A request that was broken off may end as if it were whole.
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
