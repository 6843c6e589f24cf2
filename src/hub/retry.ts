import { setTimeout as sleep } from 'node:timers/promises';
import { fieldError } from '../errors.ts';

export interface RetryPolicy {
  /** Failures in a row after which nothing more is tried; default 5. */
  readonly attempts: number;
  /** Wait after the first failure; every further one waits twice as long. Default 500 ms. */
  readonly minDelayMs: number;
  /** The longest wait, also where the server asks for a longer one. Default 60 s. */
  readonly maxDelayMs: number;
  /** A connection over which nothing comes for this long is given up; default 60 s. */
  readonly stallMs: number;
}

export const defaultRetryPolicy: RetryPolicy = {
  attempts: 5,
  minDelayMs: 500,
  maxDelayMs: 60_000,
  stallMs: 60_000,
};

/** A failure that may be over by the next attempt. */
export class TransientError extends Error {
  /** Delay that the server asks for. */
  readonly retryAfterMs: number | undefined;
  /** Whether the attempt got somewhere, so that the count of failures begins anew. */
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

/** Repeats what fails for reasons that pass. */
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

/** @throws the signal's reason when it aborts */
export async function delay(durationMs: number, signal?: AbortSignal): Promise<void> {
  await sleep(durationMs, undefined, { signal }).catch(() => signal?.throwIfAborted());
}
