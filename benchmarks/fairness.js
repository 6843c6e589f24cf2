// How much longer the small requests of one key take while others have all that they may have under way, for each category with its
// bundled model: milliseconds of the worker's processor, which other programs don't change as they change the time of the clock.
// Usage: node benchmarks/fairness.js [--seconds 20] [--requests 30] [--keys 1] [--category chat] [--load prompts]
import { setMaxListeners } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { categories } from '../dist/src/categories/registry.js';
import { renderTable } from '../dist/src/cli/format.js';
import { childReplicas } from '../dist/src/engine/child-replica.js';
import { createEngine } from '../dist/src/engine/create-engine.js';
import { createInference } from '../dist/src/index.js';
import { createHogs, hogModels } from '../test/security/hogs.js';
import { machine, percentile } from './measure.js';

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '30' },
    keys: { type: 'string', default: '1' },
    category: { type: 'string', multiple: true, default: Object.keys(hogModels) },
    load: { type: 'string', multiple: true },
  },
});

/** @typedef {readonly [kind: 'run' | 'stretch' | 'sample', from: number, to: number, cpuMs: number]} Entry */
/** @typedef {{ ms: number, cpuMs: number, runs: number, longestMs: number }} Measured */

const folder = await mkdtemp(join(tmpdir(), 'slashv1-fairness-'));
process.env['FAIRNESS_LOG'] = `${folder}/`;
const models = Object.fromEntries(
  Object.entries(hogModels).map(([category, source]) => [source, { source, category }]),
);
const speaking = createInference({ models: { [hogModels.speech]: { source: hogModels.speech } } });
const hogs = await createHogs(speaking);
await speaking.close();
const startReplica = childReplicas({ worker: new URL('./fairness-worker.js', import.meta.url) });
const engine = createEngine({ models, categories, startReplica });

const now = () => performance.timeOrigin + performance.now();
/** @param {string} category @param {object} request @param {import('../dist/src/contracts/run.js').CallOptions} options */
async function ask(category, request, options) {
  const model = hogModels[/** @type {keyof typeof hogModels} */ (category)];
  const whole = categories.get(category)?.complete(/** @type {never} */ ({ ...request, model }));
  for await (const _ of engine.run(category, /** @type {never} */ (whole), options));
}

/**
 * Small requests, one after the other, for so many seconds and requests at most.
 *
 * @param {string} category
 * @param {object} small
 * @returns {Promise<Measured[]>}
 */
async function measure(category, small) {
  const until = now() + Number(values.seconds) * 1000;
  /** @type {(readonly [number, number])[]} */
  const times = [];
  while (times.length < Number(values.requests) && now() < until) {
    const from = now();
    await ask(category, small, { owner: 'second' });
    times.push([from, now()]);
  }
  await sleep(500);
  const path = join(folder, hogModels[/** @type {keyof typeof hogModels} */ (category)]);
  const lines = (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');
  const entries = lines.map((line) => /** @type {Entry} */ (JSON.parse(line)));
  const samples = entries.filter(([kind]) => kind === 'sample');
  /** @param {number} at */
  const cpuAt = (at) => {
    const after = Math.max(
      1,
      samples.findIndex(([, time]) => time >= at),
    );
    const [[, from, , before], [, to, , then]] = /** @type {[Entry, Entry]} */ (
      samples.slice(after - 1, after + 1)
    );
    return before + (then - before) * Math.min(1, (at - from) / (to - from));
  };
  return times.map(([from, to]) => {
    const during = entries.filter(([kind, begin, end]) => kind !== 'sample' && begin < to && end > from);
    return {
      ms: to - from,
      cpuMs: cpuAt(to) - cpuAt(from),
      runs: during.filter(([kind]) => kind === 'run').length,
      longestMs: Math.max(0, ...during.map(([, , , cpuMs]) => cpuMs)),
    };
  });
}

/**
 * Keeps as many large requests of each key under way until the signal is aborted.
 *
 * @param {string} category
 * @param {import('../test/security/hogs.js').Load} load
 * @param {AbortSignal} signal
 */
function hog(category, { count, requests }, signal) {
  return Array.from({ length: count * Number(values.keys) }, async (_, index) => {
    const owner = `first ${index % Number(values.keys)}`;
    for (let turn = index; !signal.aborted; turn++) {
      const large = /** @type {object} */ (requests[turn % requests.length]);
      // What is refused, for its length or since the queue is full, comes again.
      await ask(category, large, { owner, signal }).catch(() => sleep(50));
    }
  });
}

/** @type {string[][]} */
const rows = [];
for (const category of values.category) {
  const { small, loads } = /** @type {import('../test/security/hogs.js').Hog} */ (hogs[category]);
  for (let warm = 0; warm < 5; warm++) await ask(category, small, {});
  const alone = await measure(category, small);
  for (const [name, load] of Object.entries(loads)) {
    if (values.load && !values.load.includes(name)) continue;
    const controller = new AbortController();
    setMaxListeners(0, controller.signal);
    const hogging = hog(category, load, controller.signal);
    await sleep(1000);
    const beside = await measure(category, small);
    controller.abort();
    await Promise.all(hogging);
    /** @param {Measured[]} all @param {keyof Measured} key @param {number} share */
    const of = (all, key, share) =>
      percentile(
        all.map((one) => one[key]),
        share,
      );
    const pair = (/** @type {Measured[]} */ all) => [0.5, 0.99].map((share) => of(all, 'cpuMs', share));
    const ratios = [0.5, 0.99].map((share) => of(beside, 'cpuMs', share) / of(alone, 'cpuMs', share));
    rows.push([
      category,
      name,
      ...[...pair(alone), ...pair(beside)].map((time) => time.toFixed(1)),
      ...ratios.map((ratio) => ratio.toFixed(1)),
      of(beside, 'runs', 0.5).toFixed(0),
      of(beside, 'longestMs', 1).toFixed(0),
      `${of(alone, 'ms', 0.5).toFixed(0)}, ${of(beside, 'ms', 0.5).toFixed(0)}`,
      String(beside.length),
    ]);
  }
}
await engine.close({ graceMs: 0 });
await rm(folder, { recursive: true });

console.log(
  `\nSmall requests of one key, alone and beside ${values.keys} at their worst, ${machine()}; processor ms of the worker`,
);
const titles = ['p50', 'p99', 'p50 beside', 'p99 beside', '× p50', '× p99', 'runs', 'longest', 'clock', 'n'];
console.log(renderTable(['', '', ...titles.map((right) => ({ right }))], rows, (text) => text));
