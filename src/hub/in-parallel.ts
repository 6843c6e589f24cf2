import { limitConcurrency } from '../concurrency/limit-concurrency.ts';

/** Processes all items, `width` at a time. If one fails, the rest are aborted and have stopped when this rejects. */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  signal: AbortSignal | undefined,
  task: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const whole = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const limit = limitConcurrency(width);
  const work = (item: Item): Promise<void> =>
    limit(() => task(item, whole), { signal: whole }).catch((error: unknown) => failure.abort(error));
  await Promise.all(items.map(work));
  signal?.throwIfAborted();
  failure.signal.throwIfAborted();
}
