// How much longer the small requests of one key take while another key has all it may have under way, for each category
// with its bundled model. Usage: node benchmarks/fairness.js [--seconds 20] [--requests 30] [--category chat]
import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { renderTable } from '../dist/src/cli/table.js';
import { createInference } from '../dist/src/index.js';
import { ask, createHogs, hogModels } from '../test/security/hogs.js';
import { machine, percentile } from './measure.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '30' },
    category: { type: 'string', multiple: true, default: Object.keys(hogModels) },
  },
});

const models = Object.fromEntries(Object.values(hogModels).map((source) => [source, { source }]));
const inference = createInference({ models });
const hogs = await createHogs(inference);

/**
 * Times of small requests, one after the other, for so many seconds and requests at most.
 *
 * @param {string} category
 */
async function measure(category) {
  const { small } = /** @type {import('../test/security/hogs.js').Hog} */ (hogs[category]);
  const end = performance.now() + Number(values.seconds) * 1000;
  /** @type {number[]} */
  const times = [];
  while (times.length < Number(values.requests) && performance.now() < end) {
    const begin = performance.now();
    await ask(inference, category, small, { owner: 'second' });
    times.push(performance.now() - begin);
  }
  return times;
}

/**
 * Keeps as many large requests under way until the signal is aborted.
 *
 * @param {string} category
 * @param {AbortSignal} signal
 */
function hog(category, signal) {
  const { count, large } = /** @type {import('../test/security/hogs.js').Hog} */ (hogs[category]);
  return Array.from({ length: count }, async () => {
    while (!signal.aborted) {
      await ask(inference, category, large, { owner: 'first', signal }).catch(async (error) => {
        if (error.code === 'overloaded') await sleep(50);
        else if (!signal.aborted) throw error;
      });
    }
  });
}

/** @type {string[][]} */
const rows = [];
for (const category of values.category) {
  await ask(inference, category, /** @type {any} */ (hogs[category]).small, {});
  const alone = await measure(category);
  const controller = new AbortController();
  setMaxListeners(0, controller.signal);
  const hogging = hog(category, controller.signal);
  await sleep(500);
  const beside = await measure(category);
  controller.abort();
  await Promise.all(hogging);
  const shares = [0.5, 0.99];
  const milliseconds = [alone, beside].flatMap((times) => shares.map((share) => percentile(times, share)));
  const ratios = shares.map((share) => percentile(beside, share) / percentile(alone, share));
  rows.push([
    category,
    ...milliseconds.map((time) => time.toFixed(1)),
    ...ratios.map((ratio) => ratio.toFixed(2)),
    String(beside.length),
  ]);
}
await inference.close({ graceMs: 0 });

console.log(`\nSmall requests of one key, alone and beside another key at its worst, ${machine()}`);
const titles = ['p50 ms', 'p99 ms', 'p50 beside', 'p99 beside', '× p50', '× p99', 'requests'];
console.log(renderTable(['', ...titles.map((right) => ({ right }))], rows, (text) => text));
