/** Longest times without a byte, in milliseconds. */
export interface AnswerTimes {
  /** From the beginning of the request to the first byte of the answer's body. */
  readonly firstByteMs: number;
  /** From one byte to the next. */
  readonly idleMs: number;
}

/**
 * Ends a request whose server sends nothing for too long. Only time in which a byte is waited for counts, so a slow
 * reader is nobody's fault.
 *
 * @example
 * ```ts
 * const clock = new AnswerClock({ firstByteMs: 60_000, idleMs: 60_000 });
 * const response = await clock.wait(() => fetch(url, { signal: clock.signal }));
 * for await (const bytes of readBytes(response, { clock })) hash.update(bytes);
 * ```
 */
export class AnswerClock {
  /** Aborts when a time has passed, or the caller leaves. */
  readonly signal: AbortSignal;
  readonly #controller = new AbortController();
  readonly #times: AnswerTimes;
  readonly #beganAt = performance.now();
  #hasByte = false;

  constructor(times: AnswerTimes, caller?: AbortSignal) {
    this.#times = times;
    const { signal } = this.#controller;
    this.signal = caller ? AbortSignal.any([caller, signal]) : signal;
  }

  /** @throws what `step` throws, which has to end with `signal` */
  async wait<Result>(step: () => Promise<Result>): Promise<Result> {
    const { firstByteMs, idleMs } = this.#times;
    const mostMs = this.#hasByte ? idleMs : firstByteMs;
    const passedMs = this.#hasByte ? 0 : performance.now() - this.#beganAt;
    const giveUp = (): void => this.#controller.abort(new Error(`it sent nothing for ${mostMs} ms`));
    const timer = setTimeout(giveUp, Math.max(0, mostMs - passedMs));
    try {
      return await step();
    } finally {
      clearTimeout(timer);
    }
  }

  /** A byte of the body has come. */
  tick(): void {
    this.#hasByte = true;
  }
}
