/** A stretch of the event loop that is long enough to end. */
const longMs = 4;

/** Gives the event loop to others where it has been held for long. */
export async function letOthersRun(since: number): Promise<void> {
  if (performance.now() - since > longMs) await new Promise<void>((resolve) => setImmediate(resolve));
}
