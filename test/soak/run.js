// Clients of all endpoints beside attackers, each with a key of its own, on a service of the bundled models:
// `npm run build && node test/soak/run.js [--minutes 20] [--alone]`. Ends with 1 where a request of a client wasn't answered in full.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { renderTable } from '../../dist/src/cli/format.js';
import { createAttackers } from './attackers.js';
import { send } from './client.js';
import { innocentRequests } from './innocents.js';

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '20' }, alone: { type: 'boolean' } },
});
const minutes = Number(values.minutes);
if (!(minutes > 0)) throw new RangeError(`--minutes: expected a number above 0, got ${values.minutes}`);
const clientsPerEndpoint = 2;
const clientPauseMs = 1500;
const attackPauseMs = 2000;

const innocents = await innocentRequests();
const attackers = values.alone ? {} : await createAttackers();
const keyOf = (/** @type {string} */ name) => name.replaceAll(/\W+/g, '-');
const clients = Object.keys(innocents).flatMap((name) =>
  Array.from({ length: clientsPerEndpoint }, (_, index) => ({ name, key: `client-${keyOf(name)}-${index}` })),
);
const hour = { perSeconds: 3600 };
const spent = 'uploads on a spent quota';
const plans = {
  client: { rateLimit: { requests: 600, perSeconds: 60 } },
  attacker: { rateLimit: { requests: 600, perSeconds: 60 } },
  refunds: { quota: { requests: 10, ...hour } },
  spent: { quota: { requests: 1, ...hour } },
};
const planOf = (/** @type {string} */ name) =>
  name === spent ? 'spent' : name === 'deadlines for refunds' ? 'refunds' : 'attacker';
const keys = [
  ...clients.map(({ key }) => ({ key, plan: 'client' })),
  ...Object.keys(attackers).map((name) => ({ key: keyOf(name), plan: planOf(name) })),
];

const host = fork(
  join(import.meta.dirname, '../security/soak-host.js'),
  ['http://127.0.0.1:9', JSON.stringify({ auth: { keys }, plans })],
  { execArgv: ['--expose-gc'] },
);
/** @typedef {{ origin: string, rssMiB: number, heapMiB: number, longestDelayMs: number, usualDelayMs: number }} Facts */
/** @type {string[]} */
const losses = [];
/** @type {string[]} */
const faults = [];
/** @type {Map<string, (facts: Facts) => void>} */
const listeners = new Map();
host.on('message', (/** @type {Facts & { type: string, model: string, reason: string }} */ message) => {
  if (message.type === 'loss') losses.push(`${message.model}: ${message.reason}`);
  if (message.type === 'fault') faults.push(message.reason);
  listeners.get(message.type)?.(message);
});
host.once('exit', () => {
  if (performance.now() < endsAt) throw new Error('The host has ended.');
});
let endsAt = Infinity;
/** @param {string} type @returns {Promise<Facts>} */
const told = (type) => new Promise((resolve) => listeners.set(type, resolve));

const { origin } = await told('ready');
const url = (/** @type {string} */ path) => `${origin}/v1/${path}`;
const startedAt = performance.now();
endsAt = startedAt + minutes * 60_000;
/** @type {Map<string, { asked: number, answered: number, times: number[] }>} */
const served = new Map(Object.keys(innocents).map((name) => [name, { asked: 0, answered: 0, times: [] }]));
/** @type {Map<string, Map<string, number>>} */
const outcomes = new Map(Object.keys(attackers).map((name) => [name, new Map()]));
/** @type {string[]} */
const failures = [];

async function live(/** @type {{ name: string, key: string }} */ { name, key }) {
  const { path, body } = /** @type {import('./innocents.js').Request} */ (innocents[name]);
  const count = /** @type {{ asked: number, answered: number, times: number[] }} */ (served.get(name));
  await delay(Math.random() * clientPauseMs);
  while (performance.now() < endsAt) {
    const since = performance.now();
    count.asked++;
    const outcome = await send(url(path), key, body);
    count.times.push(performance.now() - since);
    if (outcome === 200) count.answered++;
    else {
      const [began, ended] = [since, performance.now()].map((at) => Math.round((at - startedAt) / 1000));
      failures.push(`${name}: ${outcome} after ${began} to ${ended} s`);
    }
    await delay(clientPauseMs);
  }
}

async function attack(/** @type {[string, import('./attackers.js').Attack]} */ [name, strike]) {
  const counts = /** @type {Map<string, number>} */ (outcomes.get(name));
  for (let turn = 0; performance.now() < endsAt; turn++) {
    for (const outcome of await strike(url, keyOf(name), turn))
      counts.set(String(outcome), (counts.get(String(outcome)) ?? 0) + 1);
    await delay(attackPauseMs);
  }
}

async function watch() {
  for (let minute = 1; performance.now() < endsAt; minute++) {
    await delay(Math.max(0, Math.min(startedAt + minute * 60_000, endsAt) - performance.now()));
    await look(`${((performance.now() - startedAt) / 60_000).toFixed(1)} min`);
  }
}

async function look(/** @type {string} */ when) {
  const answer = told('measure');
  host.send('measure');
  const { rssMiB, heapMiB, longestDelayMs, usualDelayMs } = await answer;
  console.log(
    `${when}: host ${rssMiB.toFixed(0)} MiB, heap ${heapMiB.toFixed(1)} MiB, event loop p99 ${usualDelayMs.toFixed(1)} ms, longest ${longestDelayMs.toFixed(0)} ms, ${losses.length} workers lost`,
  );
}

await look('start');
await Promise.all([...clients.map(live), ...Object.entries(attackers).map(attack), watch()]);
await delay(8000);
await look('end');

const percentile = (/** @type {number[]} */ times, /** @type {number} */ part) =>
  (times.toSorted((a, b) => a - b)[Math.ceil(part * times.length) - 1] ?? 0).toFixed(0);
const same = (/** @type {string} */ text) => text;
console.log(
  renderTable(
    ['clients', ...['answered', 'asked', 'p50 ms', 'p99 ms'].map((right) => ({ right }))],
    [...served].map(([name, { asked, answered, times }]) => [
      name,
      String(answered),
      String(asked),
      percentile(times, 0.5),
      percentile(times, 0.99),
    ]),
    same,
  ),
);
console.log(
  renderTable(
    ['attackers', 'answers'],
    [...outcomes].map(([name, counts]) => [
      name,
      [...counts].map(([outcome, count]) => `${outcome} × ${count}`).join(', '),
    ]),
    same,
  ),
);
for (const [title, lines] of Object.entries({ failures, losses, faults })) {
  if (lines.length > 0) console.log(`${title}: ${lines.length}\n${lines.slice(0, 20).join('\n')}`);
}
host.send('close');
await once(host, 'exit');
process.exitCode = failures.length > 0 ? 1 : 0;
