/** Keeps account of runs, so that a pipeline releases its model only when the last has ended. */
export class OpenRuns {
  readonly #open = new Set<Promise<void>>();

  /** Passes the events on; the run is open until they end, or are left. */
  async *track<Event>(events: AsyncIterable<Event>): AsyncGenerator<Event> {
    let end: (() => void) | undefined;
    const ended = new Promise<void>((resolve) => (end = resolve));
    this.#open.add(ended);
    try {
      yield* events;
    } finally {
      this.#open.delete(ended);
      end?.();
    }
  }

  /** Resolves when none of the runs that are open now is any more. */
  async ended(): Promise<void> {
    await Promise.all(this.#open);
  }
}
