import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<Readonly<Record<string, string>>>();

/**
 * Lets events be made in view of headers: whatever is asked of other machines for them may send these. Where requests share a
 * batch, the headers of one of them go with it.
 */
export function withRunHeaders<Event>(
  headers: Readonly<Record<string, string>>,
  source: AsyncIterable<Event>,
): AsyncIterableIterator<Event> {
  const events = source[Symbol.asyncIterator]();
  const iterator: AsyncIterableIterator<Event> = {
    [Symbol.asyncIterator]: () => iterator,
    next: () => storage.run(headers, () => events.next()),
    return: async () => (await events.return?.()) ?? { done: true, value: undefined },
  };
  return iterator;
}

/** The headers of the run that the caller works for; none outside of one. */
export function currentRunHeaders(): Readonly<Record<string, string>> {
  return storage.getStore() ?? {};
}
