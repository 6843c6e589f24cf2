// What requests cost that read kept conversations and responses at their bounds: longest stretch of the event loop, in processor
// time, and processor time in all. The last rows measure another key meanwhile.
// Usage: npm run build && node benchmarks/kept.js [redis://…]
import { setImmediate as turn } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { createHandler } from 'slashv1';
import { createFakeInference } from 'slashv1/testing';
import { renderTable } from '../dist/src/cli/format.js';
import { machine } from './measure.js';

const [, , url] = process.argv;
const redis = url === undefined ? undefined : new Redis(url);
const store = redis && {
  get: (/** @type {string} */ key) => redis.get(key),
  set: (/** @type {string} */ key, /** @type {string} */ text, /** @type {number} */ expirySeconds) =>
    redis.set(key, text, 'EX', expirySeconds),
  delete: (/** @type {string} */ key) => redis.del(key),
};
const handler = createHandler(createFakeInference({ reply: { text: 'Hello' } }), {
  auth: { keys: ['one', 'two'].map((key) => ({ key, id: key })) },
  keepResponses: store ? { store, maxBytesPerKey: 2 ** 32 } : true,
});

/** @param {string} method @param {string} path @param {object} [json] @returns {Promise<any>} */
async function call(method, path, json, key = 'one') {
  const { status, body } = await handler({
    method,
    url: `/v1${path}`,
    headers: { authorization: `Bearer ${key}` },
    body: { parsed: json },
    signal: new AbortController().signal,
  });
  return { status, ...JSON.parse(String(body)) };
}
const ask = (/** @type {object} */ more, key = 'one') =>
  call('POST', '/responses', { model: 'fake-chat', input: 'Hi', ...more }, key);
/** @template T @param {number} length @param {(index: number) => T} item */
const listOf = (length, item) => Array.from({ length }, (_, index) => item(index));

/** @type {string[][]} */
const rows = [];
/** @param {string} name @param {() => Promise<any>} work */
async function measure(name, work) {
  let isOver = false;
  let longest = 0;
  const all = process.cpuUsage();
  const began = performance.now();
  const watch = (async () => {
    for (;;) {
      const [before, cpu] = [performance.now(), process.cpuUsage()];
      await turn();
      const { user, system } = process.cpuUsage(cpu);
      // Other threads of the process count in one, others' programs in the other.
      longest = Math.max(longest, Math.min(performance.now() - before, (user + system) / 1000));
      if (isOver) return;
    }
  })();
  const result = await work();
  const wall = performance.now() - began;
  isOver = true;
  await watch;
  const { user, system } = process.cpuUsage(all);
  const status = Array.isArray(result)
    ? [...new Set(result.map((one) => one.status))].join(' ')
    : result.status;
  rows.push([name, String(status), longest.toFixed(1), ((user + system) / 1000).toFixed(0), wall.toFixed(0)]);
  return result;
}

const items = listOf(4000, () => ({ type: 'reasoning', summary: [] }));
const { id } = await call('POST', '/conversations', { items });
const path = `/conversations/${id}`;
// Once to warm up.
for (const suffix of ['', '/items?limit=1']) await call('GET', path + suffix);
await ask({ conversation: id, store: false });
rows.length = 0;

await measure('GET a conversation of 4000 items', () => call('GET', path));
await measure('its items, 1', () => call('GET', `${path}/items?limit=1`));
await measure('its items, 100', () => call('GET', `${path}/items?limit=100`));
await measure('its metadata', () => call('POST', path, { metadata: { a: 'b' } }));
await measure('GET, 20 at once', () => Promise.all(listOf(20, () => call('GET', path))));
const first = await measure('a response in it', () => ask({ conversation: id }));
await measure('in the background', () => ask({ conversation: id, background: true }));
await measure('its input tokens', () =>
  call('POST', '/responses/input_tokens', { model: 'fake-chat', input: 'Hi', conversation: id }),
);
await measure('GET the response', () => call('GET', `/responses/${first.id}`));
await measure('its input items, 1', () => call('GET', `/responses/${first.id}/input_items?limit=1`));
await measure('a response that continues it', () => ask({ previous_response_id: first.id }));
const made = [first];
for (let count = 1; count < 14; count++) made.push(await ask({ conversation: id }));
const input = made.map(({ output }) => ({ type: 'item_reference', id: output[0].id }));
await measure('an item of 14 responses each', () => ask({ input }));
let previous = await ask({});
for (let count = 1; count < 300; count++) previous = await ask({ previous_response_id: previous.id });
await measure('the next of 300 turns', () => ask({ previous_response_id: previous.id }));
const large = await call('POST', '/conversations', {
  items: listOf(15, () => ({ role: 'user', content: 'a'.repeat(1_000_000) })),
});
await measure('a response in one of 15 MB', () => ask({ conversation: large.id }));
await measure('its items', () => call('GET', `/conversations/${large.id}/items`));

/** @type {number[]} */
const times = [];
let isOver = false;
const other = (async () => {
  for (;;) {
    const began = performance.now();
    await ask({ store: false }, 'two');
    times.push(performance.now() - began);
    if (isOver) return;
    await turn();
  }
})();
await measure('12 at once that refer to 14 responses', () => Promise.all(listOf(12, () => ask({ input }))));
await measure('12 at once in the conversation', () =>
  Promise.all(listOf(12, () => ask({ conversation: id, store: false }))),
);
isOver = true;
await other;
times.sort((a, b) => a - b);

console.log(machine(), redis ? 'Redis' : 'in memory');
console.log(
  renderTable(
    [
      'request',
      ...['status', 'longest stretch, ms', 'processor, ms', 'wall, ms'].map((right) => ({ right })),
    ],
    rows,
    (text) => text,
  ),
);
const at = (/** @type {number} */ share) => times[Math.floor(times.length * share)]?.toFixed(1);
console.log(`another key meanwhile, ${times.length} requests: p50 ${at(0.5)} ms, p99 ${at(0.99)} ms`);
console.log(`heap ${(process.memoryUsage().heapUsed / 2 ** 20).toFixed(0)} MiB`);
redis?.disconnect();
process.exit(0);
