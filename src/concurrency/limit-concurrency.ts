import { FairQueue } from './fair-queue.ts';

export interface TaskOptions {
  /** A task that is aborted before its turn never runs: the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Owners take turns; tasks without an owner share one. */
  readonly owner?: string | undefined;
}

/** Runs a task in its turn. */
export type Limiter = <T>(task: () => Promise<T>, options?: TaskOptions) => Promise<T>;

interface Waiting {
  readonly owner: string | undefined;
  readonly begin: () => void;
}

/**
 * Limits concurrent tasks. Waiting owners take turns by used time, first task first, so that one owner's short tasks don't each
 * wait for a long task of a different owner.
 * @param reserve extra tasks, for owners without a running task
 */
export function limitConcurrency(max: number, reserve = 0): Limiter {
  const waiting = new FairQueue<Waiting>();
  const runsOf = new Map<string | undefined, number>();
  let running = 0;
  let isChoosing = false;
  const count = (owner: string | undefined, change: 1 | -1): void => {
    running += change;
    runsOf.set(owner, (runsOf.get(owner) ?? 0) + change);
    if (runsOf.get(owner) === 0) runsOf.delete(owner);
  };
  const mayBegin = ({ owner }: Waiting): boolean => running < max + (runsOf.has(owner) ? 0 : reserve);
  const beginNext = (): void => {
    if (running === 0 && waiting.size === 0) waiting.settle();
    for (let next = waiting.take(mayBegin); next; next = waiting.take(mayBegin)) {
      count(next.owner, 1);
      next.begin();
    }
  };
  const end = async (owner: string | undefined, tookMs: number): Promise<void> => {
    count(owner, -1);
    waiting.charge(owner, Math.max(0, tookMs - 1));
    if (isChoosing) return;
    isChoosing = true;
    // The owner may be about to add the next part of the same work; finishing it sooner shortens every wait.
    for (let turn = 0; turn < 2 && waiting.size > 0 && waiting.countOf(owner) === 0; turn++)
      await new Promise<void>((resolve) => setImmediate(resolve));
    isChoosing = false;
    beginNext();
  };
  const turn = ({ signal, owner }: TaskOptions): Promise<void> =>
    new Promise((resolve, reject) => {
      const begin = (): void => {
        signal?.removeEventListener('abort', leave);
        resolve();
      };
      const item = { owner, begin };
      const leave = (): void => {
        waiting.delete(item);
        reject(signal!.reason as Error);
      };
      waiting.add(item, owner);
      signal?.addEventListener('abort', leave, { once: true });
      if (!isChoosing) beginNext();
    });
  return async (task, options = {}) => {
    options.signal?.throwIfAborted();
    await turn(options);
    const since = performance.now();
    try {
      return await task();
    } finally {
      void end(options.owner, performance.now() - since);
    }
  };
}
