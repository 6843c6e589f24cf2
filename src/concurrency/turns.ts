import { FairQueue } from './fair-queue.ts';

/** Time slices for long work on the event loop: one at a time, I/O in between, turns between owners. */
export class Turns {
  readonly #waiting = new FairQueue<() => void>();
  #isScheduled = false;

  /** Resolves when the owner's next slice may run; the slice ends at its next `await`. */
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
