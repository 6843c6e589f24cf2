/** Calls back once all signals are aborted: only then is a shared run useless. */
export function onceAllAborted(
  signals: readonly (AbortSignal | undefined)[],
  listener: () => void,
): () => void {
  const listened = new Set(signals);
  let left = listened.size;
  const count = (): void => {
    if (--left === 0) listener();
  };
  if (left === 0 || listened.has(undefined)) return () => undefined;
  for (const signal of listened) {
    if (signal!.aborted) count();
    else signal!.addEventListener('abort', count, { once: true });
  }
  return () => {
    for (const signal of listened) signal!.removeEventListener('abort', count);
  };
}

/** Waits for work that ignores the signal. @throws the signal's reason if it aborts first */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stopListening: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stopListening = onceAllAborted([signal], () => reject(signal.reason));
  });
  return Promise.race([work, aborted]).finally(stopListening);
}
