export interface RestartPolicy {
  /** Delay before the first attempt; it doubles with every further one. Default 250 ms. */
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** The loss of a worker that was ready for this long resets the delay. Default 60 s. */
  readonly healthyMs: number;
  /** Consecutive losses of workers that never loaded the model after which it has failed. Default 3. */
  readonly maxLoadCrashes: number;
  /**
   * Consecutive losses up to which requests wait for the next worker; beyond it, they are rejected until it is ready.
   * Default 3.
   */
  readonly maxAwaitedLosses: number;
}

export const defaultRestartPolicy: RestartPolicy = {
  minDelayMs: 250,
  maxDelayMs: 30_000,
  healthyMs: 60_000,
  maxLoadCrashes: 3,
  maxAwaitedLosses: 3,
};

export type BackOff = ReturnType<typeof createBackOff>;

/** Exponential back-off between the workers of one replica. */
export function createBackOff({ minDelayMs, maxDelayMs, healthyMs, maxAwaitedLosses }: RestartPolicy) {
  let losses = 0;
  return {
    get losses() {
      return losses;
    },
    /** Whether so many were lost that requests shouldn't wait for the next one. */
    get isLoop() {
      return losses > maxAwaitedLosses;
    },
    /** Counts a lost worker. @returns the delay before the next one, in milliseconds */
    lost(readyForMs: number): number {
      losses = readyForMs >= healthyMs ? 1 : losses + 1;
      return Math.min(maxDelayMs, minDelayMs * 2 ** (losses - 1));
    },
  };
}
