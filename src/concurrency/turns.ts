import { FairQueue } from './fair-queue.ts';

/** Slices of long work on the event loop: one at a time, everything else in this process between two, owners by turns. */
export class Turns {
  readonly #waiting = new FairQueue<() => void>();
  #isScheduled = false;

  /** Resolves when the owner's next slice may run, which lasts until it waits for something. */
  next(owner?: string): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve, owner);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      const begin = this.#waiting.take();
      if (!begin) return this.#waiting.settle();
      begin();
      this.#schedule();
    });
  }
}
