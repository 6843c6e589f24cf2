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
    return new Promise((resolve) => this.#admit(resolve));
  }

  /** Calls `action` when the queue is free: now, or later. */
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

/** The queue of a session. WebGPU's state is shared by the process, and only one thread may use it at a time. */
export function queueOf(device: string): RunQueue {
  return /^webgpu(?::|$)/.test(device) ? webgpuQueue : new RunQueue();
}
