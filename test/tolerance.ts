/**
 * Processors round a product of several rows otherwise than that of one row, and each in its own way. `npm run test:noise`
 * makes the difference much larger, so that no test depends on it; 0 in other runs.
 */
const noise = Number(process.env['TEST_NOISE'] ?? 0);

export const isNoisy = noise > 0;

/**
 * How far numbers may be apart that were computed in different shapes, or by another program.
 *
 * @param tolerance without noise, which grows on its way through the layers of a model
 * @param scale of numbers whose range isn't that of logits
 */
export function within(tolerance: number, scale = 1): number {
  return tolerance + 300 * noise * scale;
}

/** As `within`, for `toBeCloseTo`. */
export function decimalsWithin(decimals: number): number {
  return isNoisy ? 0 : decimals;
}

/** The largest of some logits over the one after it. */
export function marginOf(logits: Iterable<number>): number {
  let [first, second] = [-Infinity, -Infinity];
  for (const logit of logits) {
    if (logit > first) [first, second] = [logit, first];
    else second = Math.max(second, logit);
  }
  return first - second;
}

/** How many of the first tokens of a greedy answer are the same wherever logits are that close. */
export function countSure(margins: readonly number[], tolerance: number): number {
  const unsure = margins.findIndex((margin) => margin <= 2 * within(tolerance));
  return unsure === -1 ? margins.length : unsure;
}
