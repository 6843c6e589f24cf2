/** A promise with its two ends. Its rejection need not be handled. */
export interface Deferred<T = void> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (reason: unknown) => void;
}

/** Makes a promise that is settled from outside. */
export function createDeferred<T = void>(): Deferred<T> {
  let ends!: Pick<Deferred<T>, 'resolve' | 'reject'>;
  const promise = new Promise<T>((resolve, reject) => {
    ends = { resolve, reject };
  });
  promise.catch(() => undefined);
  return { promise, ...ends };
}
