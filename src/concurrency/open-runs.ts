import { createDeferred } from './deferred.ts';

/** Keeps account of runs, so that a pipeline releases its model only when the last has ended. */
export class OpenRuns {
  readonly #open = new Set<Promise<void>>();

  /** Passes the events on; the run is open until they end, or are left. */
  async *track<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event> {
    const ended = createDeferred();
    this.#open.add(ended.promise);
    try {
      yield* events;
    } finally {
      this.#open.delete(ended.promise);
      ended.resolve();
    }
  }

  /** Resolves when none of the runs that are open now is any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }
}
