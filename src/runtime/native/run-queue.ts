/** A FIFO mutex for runs. */
export class RunQueue {
  #isBusy = false;
  readonly #waiting: (() => void)[] = [];

  tryEnter(): boolean {
    if (this.#isBusy) return false;
    this.#isBusy = true;
    return true;
  }

  /** Resolves when all earlier callers have left; each caller must call `leave`. */
  enter(): Promise<void> {
    if (this.#isBusy) return new Promise((resolve) => this.#waiting.push(resolve));
    this.#isBusy = true;
    return Promise.resolve();
  }

  /** Calls `action` when the queue is free: now, or later. */
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

/** The queue of a session. WebGPU's state is shared by the process, and only one thread may use it at a time. */
export function queueOf(device: string): RunQueue {
  return /^webgpu(?::|$)/.test(device) ? webgpuQueue : new RunQueue();
}
