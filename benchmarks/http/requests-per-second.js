// Measures servers of `server.js` side by side, each in a process of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import autocannon from 'autocannon';
import { compare, machine, median, printRatios } from '../measure.js';

const rounds = 5;
const connections = 16;
/** The compiler of a server's code is done with it after some ten thousand requests. */
const warmUpRequests = 20_000;
const body = JSON.stringify({
  model: 'nothing',
  messages: [{ role: 'user', content: 'Hello, who are you?' }],
});

/**
 * Prints how many chat completions each server answers in a second, and in a second of its own CPU time.
 *
 * @param {readonly string[]} mounts what `server.js` calls them; the first is what the others are compared with
 */
export async function compareServers(mounts) {
  const baseline = mounts[0] ?? '';
  /** @type {Record<string, number[]>} */
  const perCpuSecond = {};
  const servers = [];
  for (const mount of mounts) servers.push(await start(mount, (perCpuSecond[mount] ??= [])));
  const results = await compare(
    Object.fromEntries(servers.map(({ mount, requestsPerSecond }) => [mount, requestsPerSecond])),
    rounds,
  );
  for (const { server } of servers) server.disconnect();

  console.log(machine());
  const inOrder = (/** @type {Record<string, number>} */ values) =>
    Object.fromEntries(mounts.map((mount) => [mount, values[mount] ?? Number.NaN]));
  printRatios('Chat completions over HTTP', inOrder(results), { unit: 'requests/s', baseline, digits: 0 });
  printRatios(
    "The same by the server's own CPU time, which other work on the machine disturbs less",
    inOrder(
      Object.fromEntries(Object.entries(perCpuSecond).map(([mount, values]) => [mount, median(values)])),
    ),
    { unit: 'requests per CPU second', baseline, digits: 0 },
  );
}

/**
 * @param {string} mount
 * @param {number[]} perCpuSecond
 */
async function start(mount, perCpuSecond) {
  const server = fork(fileURLToPath(new URL('server.js', import.meta.url)), [mount]);
  const [{ port }] = await once(server, 'message');
  /** @type {import('autocannon').Options} */
  const load = {
    url: `http://127.0.0.1:${port}/v1/chat/completions`,
    method: 'POST',
    headers: { authorization: 'Bearer key', 'content-type': 'application/json' },
    body,
    connections,
  };
  await autocannon({ ...load, amount: warmUpRequests });
  const requestsPerSecond = async () => {
    const before = await cpuSeconds(server);
    const result = await autocannon({ ...load, duration: 1 });
    const failures = result.non2xx + result.errors;
    if (failures > 0) throw new Error(`${mount}: ${failures} requests failed`);
    perCpuSecond.push(result['2xx'] / ((await cpuSeconds(server)) - before));
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
