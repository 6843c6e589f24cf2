// Requests per second of bare servers and of the handler at every mount, side by side:
// `npm run build && node benchmarks/http/throughput.js`. The inference behind the handler does no work; the bare servers
// read and answer the same JSON without it.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { compare, machine, median, printRatios } from '../measure.js';

const rounds = 5;
const connections = 16;
const mounts = [
  'bare',
  'node',
  'bare in express',
  'express',
  'express after express.json()',
  'bare in fastify',
  'fastify',
];
const body = JSON.stringify({
  model: 'nothing',
  messages: [{ role: 'user', content: 'Hello, who are you?' }],
});

/** @type {Record<string, number[]>} */
const perCpuSecond = {};

/** @param {string} mount */
async function start(mount) {
  const server = fork(fileURLToPath(new URL('server.js', import.meta.url)), [mount]);
  const [{ port }] = await once(server, 'message');
  const requestsPerSecond = async () => {
    const before = await cpuSeconds(server);
    const result = await autocannon({
      url: `http://127.0.0.1:${port}/v1/chat/completions`,
      method: 'POST',
      headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
      body,
      connections,
      duration: 1,
    });
    const failures = result.non2xx + result.errors;
    if (failures > 0) throw new Error(`${mount}: ${failures} requests failed`);
    (perCpuSecond[mount] ??= []).push(result['2xx'] / ((await cpuSeconds(server)) - before));
    return result['2xx'] / result.duration;
  };
  return { mount, server, requestsPerSecond };
}

/** @param {import('node:child_process').ChildProcess} server */
async function cpuSeconds(server) {
  server.send('usage');
  const [{ user, system }] = await once(server, 'message');
  return (user + system) / 1e6;
}

const servers = await Promise.all(mounts.map(start));
const results = await compare(
  Object.fromEntries(servers.map(({ mount, requestsPerSecond }) => [mount, requestsPerSecond])),
  rounds,
);
for (const { server } of servers) server.disconnect();

console.log(machine());
const inOrder = (/** @type {Record<string, number>} */ values) =>
  Object.fromEntries(mounts.map((mount) => [mount, values[mount] ?? Number.NaN]));
printRatios('Chat completions over HTTP', inOrder(results), {
  unit: 'requests/s',
  baseline: 'bare',
  digits: 0,
});
printRatios(
  "The same by the server's own CPU time, which other work on the machine disturbs less",
  inOrder(Object.fromEntries(Object.entries(perCpuSecond).map(([mount, values]) => [mount, median(values)]))),
  { unit: 'requests per CPU second', baseline: 'bare', digits: 0 },
);
