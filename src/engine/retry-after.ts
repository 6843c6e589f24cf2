const weightOfNewest = 0.2;

/** Estimates when it is worth trying again, from how long recent requests took. */
export interface ServiceTimes {
  record(durationMs: number): void;
  /** @returns whole seconds, 1 to 60 */
  retryAfterSeconds(waiting: number, places: number): number;
}

export function createServiceTimes(): ServiceTimes {
  let averageMs = 0;
  return {
    record(durationMs) {
      averageMs = averageMs === 0 ? durationMs : averageMs + weightOfNewest * (durationMs - averageMs);
    },
    retryAfterSeconds: (waiting, places) => toRetryAfterSeconds((averageMs * waiting) / places),
  };
}

/** Whole seconds, 1 to 60: clients ignore what is longer. */
export function toRetryAfterSeconds(milliseconds: number): number {
  return Math.min(60, Math.max(1, Math.ceil(milliseconds / 1000)));
}
