/** Delays and failures of a fake model. */
export interface FakeRun {
  /** Waits so long before every step, word or segment; default 0. */
  readonly delayMs?: number | undefined;
  /** Fails with it after `failAfter` of them. */
  readonly error?: Error | undefined;
  /** Default 0. */
  readonly failAfter?: number | undefined;
}
