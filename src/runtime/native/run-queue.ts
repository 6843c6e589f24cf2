/** Lets one run at a time pass, in the order in which they came. */
export class RunQueue {
  #isBusy = false;
  readonly #waiting: (() => void)[] = [];

  /** Enters if nobody is inside. */
  tryEnter(): boolean {
    if (this.#isBusy) return false;
    this.#isBusy = true;
    return true;
  }

  /** Resolves when everybody before has left; whoever enters has to leave. */
  enter(): Promise<void> {
    return new Promise((resolve) => {
      if (this.tryEnter()) resolve();
      else this.#waiting.push(resolve);
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isBusy = false;
  }
}
