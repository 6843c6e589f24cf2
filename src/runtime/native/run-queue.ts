/** Lets one run at a time pass, in the order in which they came. */
export class RunQueue {
  #isBusy = false;
  readonly #waiting: (() => void)[] = [];

  tryEnter(): boolean {
    if (this.#isBusy) return false;
    this.#isBusy = true;
    return true;
  }

  /** Resolves when everybody before has left; whoever enters has to leave. */
  enter(): Promise<void> {
    if (this.tryEnter()) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  /** Calls `action` when nobody is inside: now, or later. */
  whenFree(action: () => void): void {
    const begin = (): void => {
      try {
        action();
      } finally {
        this.leave();
      }
    };
    if (this.tryEnter()) begin();
    else this.#waiting.push(begin);
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isBusy = false;
  }
}

const webgpuQueue = new RunQueue();

/** The queue of a session. WebGPU's state belongs to the process and no two threads may use it at once. */
export function queueOf(device: string): RunQueue {
  return /^webgpu(?::|$)/.test(device) ? webgpuQueue : new RunQueue();
}
