import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<Readonly<Record<string, string>>>();

/**
 * Associates headers with the production of events: requests to remote machines on their behalf may send them. If
 * requests share a batch, it gets the headers of one of them.
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

/** The headers of the current run; empty outside a run. */
export function currentRunHeaders(): Readonly<Record<string, string>> {
  return storage.getStore() ?? {};
}
