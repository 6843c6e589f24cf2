/** Longest times without a byte, in milliseconds. */
export interface AnswerTimes {
  /** From the beginning of the request to the first byte of the answer's body. */
  readonly firstByteMs: number;
  readonly idleMs: number;
}

export interface AnswerClock {
  /** Aborts when a time has passed, or the caller leaves. */
  readonly signal: AbortSignal;
  /** @throws what `step` throws, which has to end with `signal` */
  wait<Result>(step: () => Promise<Result>): Promise<Result>;
  tick(): void;
  stop(): void;
}

/**
 * Ends a request whose server sends nothing for too long. Only time in which a byte is waited for counts, so a slow reader is
 * nobody's fault.
 */
export function createAnswerClock({ firstByteMs, idleMs }: AnswerTimes, caller?: AbortSignal): AnswerClock {
  const controller = new AbortController();
  const beganAt = performance.now();
  let hasByte = false;
  let isWaiting = false;
  /** One for all waits between two bytes, since a timer for each costs a stream of tokens up to a tenth. */
  let timer: NodeJS.Timeout | undefined;
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  const begin = (): NodeJS.Timeout => {
    const mostMs = hasByte ? idleMs : firstByteMs;
    const passedMs = hasByte ? 0 : performance.now() - beganAt;
    const end = (): void => {
      if (isWaiting) controller.abort(new Error(`it sent nothing for ${mostMs} ms`));
    };
    return setTimeout(end, Math.max(0, mostMs - passedMs));
  };
  return {
    signal: caller ? AbortSignal.any([caller, controller.signal]) : controller.signal,
    async wait(step) {
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
