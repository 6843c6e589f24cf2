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
    return new Promise((resolve) => this.#admit(resolve));
  }

  /** Calls `action` when nobody is inside: now, or later. */
  whenFree(action: () => void): void {
    this.#admit(() => {
      try {
        action();
      } finally {
        this.leave();
      }
    });
  }

  leave(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#isBusy = false;
  }

  #admit(begin: () => void): void {
    if (this.tryEnter()) begin();
    else this.#waiting.push(begin);
  }
}

const webgpuQueue = new RunQueue();

/** The queue of a session. WebGPU's state belongs to the process and no two threads may use it at once. */
export function queueOf(device: string): RunQueue {
  return /^webgpu(?::|$)/.test(device) ? webgpuQueue : new RunQueue();
}
