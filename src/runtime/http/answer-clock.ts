/** Maximum times without a byte, in milliseconds. */
export interface AnswerTimes {
  /** From the start of the request to the first byte of the response's body. */
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export type AnswerClock = ReturnType<typeof createAnswerClock>;

/**
 * Aborts a request whose server sends nothing for too long. Only the time spent waiting for a byte counts, so a slow
 * reader causes no timeout.
 */
export function createAnswerClock({ firstByteMs, idleMs }: AnswerTimes, caller?: AbortSignal) {
  const controller = new AbortController();
  const beganAt = performance.now();
  let hasByte = false;
  let isWaiting = false;
  /** A shared timer for all waits between bytes, since a timer per wait costs a token stream up to a tenth. */
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const begin = (): NodeJS.Timeout => {
    const maxMs = hasByte ? idleMs : firstByteMs;
    const passedMs = hasByte ? 0 : performance.now() - beganAt;
    const end = (): void => {
      if (isWaiting) controller.abort(new Error(`it sent nothing for ${maxMs} ms`));
    };
    return setTimeout(end, Math.max(0, maxMs - passedMs));
  };
  return {
    /** Aborts after a timeout, or when the caller leaves. */
    signal: (caller ? AbortSignal.any([caller, controller.signal]) : controller.signal) as AbortSignal,
    /** @throws the error of `step`, which must end with `signal` */
    async wait<Result>(step: () => Promise<Result>): Promise<Result> {
      isWaiting = true;
      timer = timer?.refresh() ?? begin();
      try {
        return await step();
      } finally {
        isWaiting = false;
        if (!hasByte) stop();
      }
    },
    tick: () => void (hasByte = true),
    stop,
  };
}
