import { setTimeout as sleep } from 'node:timers/promises';
import { fieldError } from '../errors.ts';

export interface RetryPolicy {
  /** Maximum consecutive failures; default 5. */
  readonly attempts: number;
  /** Delay after the first failure; it doubles with every further one. Default 500 ms. */
  readonly minDelayMs: number;
  /** Maximum delay, even if the server requests a longer one. Default 60 s. */
  readonly maxDelayMs: number;
  /** A connection without data for this long is aborted; default 60 s. */
  readonly stallMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  minDelayMs: 500,
  maxDelayMs: 60_000,
  stallMs: 60_000,
};

/** A failure that a retry may resolve. */
export class TransientError extends Error {
  /** Delay requested by the server. */
  readonly retryAfterMs: number | undefined;
  /** Whether the attempt made progress, which resets the count of failures. */
  readonly advanced: boolean;

  constructor(
    message: string,
    options: ErrorOptions & Partial<Pick<TransientError, 'retryAfterMs' | 'advanced'>> = {},
  ) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
    this.advanced = options.advanced ?? false;
  }
}

/** Retries transient failures. */
export async function withRetries<T>(
  attempt: () => Promise<T>,
  { policy, signal }: { policy: RetryPolicy; signal?: AbortSignal | undefined },
): Promise<T> {
  for (let failures = 0; ;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof TransientError) || signal?.aborted) throw error;
      failures = error.advanced ? 1 : failures + 1;
      if (failures >= policy.attempts) {
        throw fieldError('source', `${error.message}, after ${failures} attempts in a row`, {
          code: 'worker_failed',
          cause: error,
        });
      }
      const delayMs = error.retryAfterMs ?? policy.minDelayMs * 2 ** (failures - 1) * (1 + Math.random() / 2);
      await delay(Math.min(policy.maxDelayMs, delayMs), signal);
    }
  }
}

/** @throws the signal's reason if it aborts */
export async function delay(durationMs: number, signal?: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
}
