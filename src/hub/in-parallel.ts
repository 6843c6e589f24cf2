/**
 * Does something with all items, some at a time. When one fails, the others are aborted and have stopped when
 * this rejects.
 */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  signal: AbortSignal | undefined,
  task: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const controller = new AbortController();
  const whole = signal ? AbortSignal.any([signal, controller.signal]) : controller.signal;
  const waiting = items.values();
  const failures: unknown[] = [];
  const worker = async (): Promise<void> => {
    for (const item of waiting) {
      if (whole.aborted) return;
      await task(item, whole).catch((error: unknown) => {
        failures.push(error);
        controller.abort(error);
      });
    }
  };
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker));
  signal?.throwIfAborted();
  if (failures.length > 0) throw failures[0];
}
