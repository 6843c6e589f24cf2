export interface RestartPolicy {
  /** Wait before the first attempt; every further one waits twice as long. Default 250 ms. */
  readonly minDelayMs: number;
  readonly maxDelayMs: number;
  /** A worker that was ready for this long starts the series anew when it is lost. Default 60 s. */
  readonly healthyMs: number;
  /** A model whose worker is lost this often in a row without ever having loaded it has failed. Default 3. */
  readonly maxLoadCrashes: number;
  /** Workers lost in a row up to which requests wait for the next one; then they are refused until it is there. Default 3. */
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
    /** Whether so many were lost that nobody should wait for the next one. */
    get isLoop() {
      return losses > maxAwaitedLosses;
    },
    /** Counts a lost worker. @returns milliseconds to wait before the next one is started */
    lost(readyForMs: number): number {
      losses = readyForMs >= healthyMs ? 1 : losses + 1;
      return Math.min(maxDelayMs, minDelayMs * 2 ** (losses - 1));
    },
  };
}
