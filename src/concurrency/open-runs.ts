import { createDeferred } from './deferred.ts';

/** Tracks open runs, so that a pipeline releases its model only after the last. */
export class OpenRuns {
  readonly #open = new Set<Promise<void>>();

  /** Passes events through; the run is open until they end or the iterator returns. */
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

  /** Resolves when all currently open runs have ended. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }
}
