/** Calls back as soon as all signals are aborted: a run for several requests is of no use then, and not before. */
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

/** Waits for work that doesn't end with the signal. @throws the reason of the signal where that is aborted before */
export async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  let stopListening: (() => void) | undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    stopListening = onceAllAborted([signal], () => reject(signal.reason));
  });
  return Promise.race([work, aborted]).finally(stopListening);
}
