/**
 * Runs a task when it is its turn. A task whose signal is aborted before never runs: the promise rejects with the
 * signal's reason.
 */
export type Limiter = <T>(task: () => Promise<T>, signal?: AbortSignal) => Promise<T>;

/**
 * Lets at most so many tasks run at once; the others wait in the order in which they came.
 *
 * @example
 * ```ts
 * const inTurn = limitConcurrency(2);
 * await Promise.all(images.map((image) => inTurn(() => decode(image))));
 * ```
 */
export function limitConcurrency(most: number): Limiter {
  const waiting = new Set<() => void>();
  let running = 0;
  const turn = (signal: AbortSignal | undefined): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        waiting.delete(begin);
        reject(signal!.reason as Error);
      };
      waiting.add(begin);
      signal?.addEventListener('abort', leave, { once: true });
    });
  return async (task, signal) => {
    signal?.throwIfAborted();
    if (running >= most) await turn(signal);
    else running += 1;
    try {
      return await task();
    } finally {
      // A waiting task takes the place over.
      const [next] = waiting;
      if (next) {
        waiting.delete(next);
        next();
      } else running -= 1;
    }
  };
}
