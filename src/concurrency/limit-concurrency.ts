import { FairQueue } from './fair-queue.ts';

export interface TaskOptions {
  /** A task whose signal is aborted before its turn never runs: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Owners take turns; default: one that all tasks without an owner share. */
  readonly owner?: string | undefined;
}

/** Runs a task when it is its turn. */
export type Limiter = <T>(task: () => Promise<T>, options?: TaskOptions) => Promise<T>;

/** Lets at most so many tasks run at once. The owners of the others take turns, each with the task that came first. */
export function limitConcurrency(most: number): Limiter {
  const waiting = new FairQueue<() => void>();
  let running = 0;
  const beginNext = (): void => {
    if (running === 0 && waiting.size === 0) waiting.settle();
    const begin = running < most ? waiting.take() : undefined;
    if (!begin) return;
    running += 1;
    begin();
  };
  const turn = ({ signal, owner }: TaskOptions): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal!.reason as Error);
      };
      waiting.add(begin, owner);
      signal?.addEventListener('abort', leave, { once: true });
      beginNext();
    });
  return async (task, options = {}) => {
    options.signal?.throwIfAborted();
    await turn(options);
    try {
      return await task();
    } finally {
      running -= 1;
      beginNext();
    }
  };
}
