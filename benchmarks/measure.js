/** Rounds in shuffled order, medians, and a table with ratios; statistics and tables are those of `slashv1 bench`. */

import { quantile } from '../dist/src/core/math/numeric.js';
import { renderTable } from '../dist/src/cli/format.js';

/** @param {readonly number[]} values */
export const median = (values) => percentile(values, 0.5);

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
export const percentile = (values, share) => quantile(values, share) ?? Number.NaN;

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
  const rows = Object.entries(results).map(([name, value]) => [
    name,
    value.toFixed(digits),
    (value / base).toFixed(3),
  ]);
  const columns = ['', { right: unit }, { right: `× ${baseline}` }];
  console.log(renderTable(columns, rows, (text) => text));
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
