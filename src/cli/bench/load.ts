import { setMaxListeners } from 'node:events';
import { quantile } from '../../core/math/numeric.ts';

export interface Measurement {
  readonly name: string;
  readonly unit: string;
  /** Half of the requests were at least this good. */
  readonly p50?: number | undefined;
  /** 9 of 10 requests were at least this good. */
  readonly p90?: number | undefined;
  /** 19 of 20 requests were at least this good. */
  readonly p95?: number | undefined;
  /** 99 of 100 requests were at least this good. */
  readonly p99?: number | undefined;
  /** Over the whole time and all requests. */
  readonly overall?: number | undefined;
  /** The value of each request, in order. */
  readonly samples?: readonly number[] | undefined;
}

/** Times: less is better. */
export function times(name: string, samples: readonly number[], unit = 'ms'): Measurement {
  const at = (share: number): number | undefined => quantile(samples, share);
  return { name, unit, p50: at(0.5), p90: at(0.9), p95: at(0.95), p99: at(0.99), samples };
}

/** Speeds: more is better. */
export function speeds(name: string, unit: string, samples: readonly number[]): Measurement {
  const at = (share: number): number | undefined => quantile(samples, share);
  return { name, unit, p50: at(0.5), p90: at(0.1), p95: at(0.05), p99: at(0.01), samples };
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

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
