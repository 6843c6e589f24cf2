/** Runs a task when it is its turn. */
export type Limiter = <T>(task: () => Promise<T>) => Promise<T>;

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
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (task) => {
    if (running >= most) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await task();
    } finally {
      // A waiting task takes the place over.
      const next = waiting.shift();
      if (next) next();
      else running -= 1;
    }
  };
}
