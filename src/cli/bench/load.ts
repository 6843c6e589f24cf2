import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';

/** Load on a model. */
export interface Load {
  /** Requests at the same time, where `rate` is left out. */
  readonly concurrency: number;
  /** Requests per second that begin, at random times and however many run; default: each when another ends. */
  readonly rate?: number | undefined;
  /** With `rate`: at equal distances in place of random times. */
  readonly isEven?: boolean | undefined;
  /** Most requests; `Infinity` for as many as fit into the time. */
  readonly requests: number;
  /** No request begins later; those that run may end. */
  readonly durationMs: number;
}

export interface LoadResult<Sample> {
  readonly samples: readonly Sample[];
  /** From the first request to the end of the last one that counts. */
  readonly elapsedMs: number;
  readonly isInterrupted: boolean;
}

export interface LoadOptions {
  /** Aborting it ends everything; what was measured by then is the result. */
  readonly signal: AbortSignal;
  /** From 0 to below 1; default `Math.random`. */
  readonly random?: (() => number) | undefined;
  /** Told after every request. */
  readonly onProgress?: ((done: number, elapsedMs: number) => void) | undefined;
}

/**
 * Sends requests, each as soon as there is room for it or at random times of a given rate, until there were enough or the time is over.
 *
 * @param send makes the request of that number and measures it
 * @throws the first error of a request; the others are then cancelled
 */
export async function applyLoad<Sample>(
  { concurrency, rate, isEven = false, requests, durationMs }: Load,
  send: (index: number, signal: AbortSignal) => Promise<Sample>,
  { signal, onProgress, random = Math.random }: LoadOptions,
): Promise<LoadResult<Sample>> {
  const failure = new AbortController();
  const either = AbortSignal.any([signal, failure.signal]);
  // Every request listens.
  setMaxListeners(0, either);
  const samples: Sample[] = [];
  const startedAt = performance.now();
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
  /** Gaps of a Poisson process are exponential. */
  const arrivals = async (perSecond: number): Promise<void> => {
    const running: Promise<void>[] = [];
    let atMs = 0;
    while (mayBegin()) {
      running.push(one());
      atMs += ((isEven ? 1 : -Math.log(1 - random())) / perSecond) * 1000;
      const waitMs = Math.min(atMs, durationMs) - (performance.now() - startedAt);
      await sleep(Math.max(0, waitMs), undefined, { signal: either }).catch(() => undefined);
    }
    await Promise.all(running);
  };
  await (rate === undefined
    ? Promise.all(Array.from({ length: Math.min(concurrency, requests) }, lane))
    : arrivals(rate));
  if (failure.signal.aborted) throw failure.signal.reason;
  return { samples, elapsedMs, isInterrupted: signal.aborted };
}
