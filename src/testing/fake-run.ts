import { InferenceError } from '../errors.ts';

/** Delays and failures of a fake model. */
export interface FakeRun {
  /** Waits so long before every step, word or segment; default 0. */
  readonly delayMs?: number | undefined;
  /** Fails with it after `failAfter` of them. */
  readonly error?: Error | undefined;
  /** Default 0. */
  readonly failAfter?: number | undefined;
}

/** Takes the steps of a run: each waits, and fails when its turn has come. */
export function createSteps({ delayMs, error, failAfter = 0 }: FakeRun, signal: AbortSignal | undefined) {
  let taken = 0;
  return {
    async step(): Promise<void> {
      await pause(delayMs, signal);
      if (error !== undefined && taken++ === failAfter) throw error;
    },
    end(): void {
      if (error !== undefined) throw error;
    },
  };
}

/** Waits with the global timer, so that a test's fake clock moves it; rejects when the signal is aborted. */
export function pause(milliseconds: number | undefined, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const cancel = (): void => {
      clearTimeout(timer);
      reject(new InferenceError('cancelled', 'The request was cancelled.'));
    };
    const finish = (): void => {
      signal?.removeEventListener('abort', cancel);
      resolve();
    };
    const timer = milliseconds ? setTimeout(finish, milliseconds) : undefined;
    if (signal?.aborted) cancel();
    else if (timer === undefined) resolve();
    else signal?.addEventListener('abort', cancel, { once: true });
  });
}

/** `'a red circle'` → `['a', ' red', ' circle']` */
export function wordsOf(text: string): string[] {
  return text.match(/\s*\S+|\s+$/g) ?? [];
}
