/** Longest times without a byte, in milliseconds. */
export interface AnswerTimes {
  /** From the beginning of the request to the first byte of the answer's body. */
  readonly firstByteMs: number;
  readonly idleMs: number;
}

/**
 * Ends a request whose server sends nothing for too long. Only time in which a byte is waited for counts, so a slow reader is
 * nobody's fault.
 */
export class AnswerClock {
  /** Aborts when a time has passed, or the caller leaves. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #times: AnswerTimes;
  readonly #beganAt = performance.now();
  #hasByte = false;
  #isWaiting = false;
  /** One for all waits between two bytes, since a timer for each costs a stream of tokens up to a tenth. */
  #timer: NodeJS.Timeout | undefined;

  constructor(times: AnswerTimes, caller?: AbortSignal) {
    this.#times = times;
    const { signal } = this.#controller;
    this.signal = caller ? AbortSignal.any([caller, signal]) : signal;
  }

  /** @throws what `step` throws, which has to end with `signal` */
  async wait<Result>(step: () => Promise<Result>): Promise<Result> {
    this.#isWaiting = true;
    this.#begin();
    try {
      return await step();
    } finally {
      this.#isWaiting = false;
      if (!this.#hasByte) this.stop();
    }
  }

  tick(): void {
    this.#hasByte = true;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #begin(): void {
    if (this.#timer) return void this.#timer.refresh();
    const { firstByteMs, idleMs } = this.#times;
    const mostMs = this.#hasByte ? idleMs : firstByteMs;
    const passedMs = this.#hasByte ? 0 : performance.now() - this.#beganAt;
    this.#timer = setTimeout(
      () => {
        if (this.#isWaiting) this.#controller.abort(new Error(`it sent nothing for ${mostMs} ms`));
      },
      Math.max(0, mostMs - passedMs),
    );
  }
}
