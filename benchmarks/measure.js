/** What the benchmarks share: rounds in shuffled order, medians, and a table with ratios. */

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

/**
 * @template T
 * @param {readonly T[]} values
 * @returns {T[]} in another order
 */
export function shuffle(values) {
  return values
    .map((value) => ({ value, place: Math.random() }))
    .sort((a, b) => a.place - b.place)
    .map(({ value }) => value);
}

/**
 * Runs every contender once per round, in another order each time, after one round of warm-up.
 *
 * @param {Record<string, () => Promise<number> | number>} contenders name → one measurement
 * @param {number} rounds
 * @returns {Promise<Record<string, number>>} name → median
 */
export async function compare(contenders, rounds) {
  /** @type {Record<string, number[]>} */
  const results = {};
  for (let round = 0; round <= rounds; round++) {
    for (const [name, run] of shuffle(Object.entries(contenders))) {
      const value = await run();
      if (round > 0) (results[name] ??= []).push(value);
    }
  }
  return Object.fromEntries(Object.keys(contenders).map((name) => [name, median(results[name] ?? [])]));
}

/**
 * @param {string} title
 * @param {Record<string, number>} results
 * @param {{ unit: string, baseline: string, digits?: number }} options
 */
export function printRatios(title, results, { unit, baseline, digits = 3 }) {
  const base = results[baseline] ?? Number.NaN;
  console.log(`\n${title}`);
  console.table(
    Object.fromEntries(
      Object.entries(results).map(([name, value]) => [
        name,
        { [unit]: Number(value.toFixed(digits)), [`× ${baseline}`]: Number((value / base).toFixed(3)) },
      ]),
    ),
  );
}

/** @returns {() => number} milliseconds of processor time, of all threads, since the call */
export function cpuTimer() {
  const start = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1000;
  };
}

export function machine() {
  return `Node ${process.version}, ${process.platform} ${process.arch}`;
}
