// The longest stretch for which one request holds the host, for each endpoint with bodies at its documented limits: processor time
// between two turns of the event loop. Nothing but the host works: a request that is accepted gets 503. Usage: npm run build && node benchmarks/host-stretch.js [part of an endpoint or of a body's name]
import { setImmediate as turn } from 'node:timers/promises';
import { renderTable } from '../dist/src/cli/table.js';
import { createHandler } from '../dist/src/create-handler.js';
import { InferenceError } from '../dist/src/errors.js';
import { createFakeInference } from '../dist/src/testing/fake-inference.js';
import { machine } from './measure.js';

const models = [
  { id: 'chat', category: 'chat' },
  { id: 'embed', category: 'embedding' },
  { id: 'rerank', category: 'rerank' },
  { id: 'speech', category: 'speech' },
  { id: 'image', category: 'image' },
  { id: 'detect', category: 'detection' },
];
const inference = createFakeInference(/** @type {any} */ ({ models }));
// What is accepted would run, and is answered with 503 here.
const host = Object.assign(Object.create(inference), {
  run: () => ({
    [Symbol.asyncIterator]: () => ({
      next: () => Promise.reject(new InferenceError('overloaded', 'Nothing runs here.')),
    }),
  }),
});
const handler = createHandler(host, { auth: 'none', onError: () => undefined });

const mebibytes = 15 * 2 ** 20;
const user = { role: 'user', content: 'Hi' };
/** @template T @param {number} length @param {(index: number) => T} item */
const listOf = (length, item) => Array.from({ length }, (_, index) => item(index));
const turns = listOf(16_300, () => user);
const chat = { model: 'chat', messages: [user] };
const arrays = `[${'[],'.repeat(mebibytes / 3 - 10)}[]]`;
const longText = 'a red circle '.repeat(mebibytes / 13);
const escapes = '"\\'.repeat(mebibytes / 4);
const calls = (/** @type {string} */ text) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: text } }],
});
const tools = listOf(500, (index) => ({
  type: 'function',
  function: {
    name: `f${index}`,
    parameters: { type: 'object', properties: Object.fromEntries(listOf(30, (n) => [`p${n}`, {}])) },
  },
}));
const bias = Object.fromEntries(listOf(32_000, (index) => [index, 1]));

/** @type {[string, string, object | string][]} */
const cases = [
  ['chat/completions', '16,300 messages', { model: 'chat', messages: turns }],
  [
    'chat/completions',
    'one text of 15 MiB',
    { model: 'chat', messages: [{ role: 'user', content: longText }] },
  ],
  ['chat/completions', 'tokens with a bias', { ...chat, logit_bias: bias }],
  ['chat/completions', '500 tools of 30 parameters', { ...chat, tools }],
  ['chat/completions', 'json_schema as text', { ...chat, json_schema: arrays }],
  ['chat/completions', 'guided_json as text', { ...chat, guided_json: arrays }],
  ['chat/completions', 'grammar as text', { ...chat, grammar: arrays }],
  ['chat/completions', 'arguments of arrays', { model: 'chat', messages: [user, calls(arrays)] }],
  [
    'chat/completions',
    'arguments of text',
    { model: 'chat', messages: [user, calls(JSON.stringify({ x: longText }))] },
  ],
  [
    'chat/completions',
    'arguments of escapes',
    { model: 'chat', messages: [user, calls(JSON.stringify({ x: escapes.slice(0, mebibytes / 5) }))] },
  ],
  ['chat/completions', 'no JSON: 15 MiB of [', '['.repeat(mebibytes)],
  ['chat/completions', 'no JSON: a text without end', `{"model":"${'x'.repeat(mebibytes)}`],
  ['chat/completions', 'no JSON: 1 MB of digits', '1'.repeat(1_000_000)],
  ['completions', '2,000 prompts', { model: 'chat', prompt: listOf(2000, () => 'Hi') }],
  ['completions', '500,000 token ids', { model: 'chat', prompt: listOf(500_000, () => 7) }],
  ['messages', '16,300 messages', { ...chat, max_tokens: 8, messages: turns }],
  ['messages/count_tokens', '16,300 messages', { ...chat, messages: turns }],
  [
    'messages',
    'an input of 500,000 values',
    {
      ...chat,
      max_tokens: 8,
      messages: [
        user,
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'c', name: 'f', input: { x: listOf(500_000, () => 7) } }],
        },
      ],
    },
  ],
  ['responses', '16,300 items', { model: 'chat', input: turns }],
  [
    'responses',
    'arguments of arrays',
    { model: 'chat', input: [user, { type: 'function_call', call_id: 'c', name: 'f', arguments: arrays }] },
  ],
  ['responses/input_tokens', '16,300 items', { model: 'chat', input: turns }],
  ['tokenize', '16,300 messages', { model: 'chat', messages: turns }],
  ['tokenize', 'one text of 15 MiB', { model: 'chat', prompt: longText }],
  ['detokenize', '500,000 token ids', { model: 'chat', tokens: listOf(500_000, () => 7) }],
  [
    'embeddings',
    '2,048 texts of 7 kB',
    { model: 'embed', input: listOf(2048, () => longText.slice(0, 7000)) },
  ],
  [
    'rerank',
    '2,048 documents of 7 kB',
    { model: 'rerank', query: 'Hi', documents: listOf(2048, () => longText.slice(0, 7000)) },
  ],
  ['audio/speech', '32,768 characters', { model: 'speech', voice: 'v', input: longText.slice(0, 32_768) }],
  ['images/generations', 'a prompt of 15 MiB', { model: 'image', prompt: longText }],
  ['detect', 'a picture of 15 MiB', { model: 'detect', image: 'A'.repeat(mebibytes) }],
];

/** Milliseconds of the longest stretch while something is done: of the clock, and of processor time within it. */
async function longestStretch(/** @type {() => Promise<unknown>} */ work) {
  let isOver = false;
  let longest = 0;
  const watch = (async () => {
    for (;;) {
      const [before, cpu] = [performance.now(), process.cpuUsage()];
      await turn();
      const { user: own, system } = process.cpuUsage(cpu);
      // Other threads of the process count in one, others' programs in the other.
      longest = Math.max(longest, Math.min(performance.now() - before, (own + system) / 1000));
      if (isOver) return;
    }
  })();
  const result = await work();
  isOver = true;
  await watch;
  return { longest, result };
}

async function* chunksOf(/** @type {Buffer} */ bytes) {
  for (let at = 0; at < bytes.length; at += 2 ** 16) {
    yield bytes.subarray(at, at + 2 ** 16);
    await turn();
  }
}

async function ask(/** @type {string} */ path, /** @type {Buffer} */ bytes) {
  const response = await handler({
    method: 'POST',
    url: `/v1/${path}`,
    headers: { 'content-type': 'application/json', 'content-length': String(bytes.length) },
    body: chunksOf(bytes),
    signal: new AbortController().signal,
  });
  if (typeof response.body !== 'string' && !(response.body instanceof Uint8Array)) {
    for await (const _ of response.body);
  }
  return response.status;
}

const wanted = process.argv[2] ?? '';
const rows = [];
for (const [path, name, body] of cases) {
  if (!`${path} ${name}`.includes(wanted)) continue;
  const bytes = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
  /** @type {number[]} */
  const times = [];
  /** @type {unknown} */
  let status = 0;
  for (let round = 0; round < 3; round++) {
    const { longest, result } = await longestStretch(() => ask(path, bytes));
    status = result;
    if (round > 0) times.push(longest);
  }
  times.sort((a, b) => a - b);
  console.error(path, name, times.map((time) => time.toFixed(1)).join(' '));
  rows.push([
    path,
    name,
    (bytes.length / 1e6).toFixed(1),
    String(status),
    ...times.map((time) => time.toFixed(1)),
  ]);
}
console.log(
  '\nLongest stretch of the host, milliseconds of processor time, of two requests each after one to warm up',
);
console.log(machine());
const columns = [
  { title: 'endpoint' },
  { title: 'body' },
  ...['MB', 'status', 'least', 'most'].map((title) => ({ title, align: /** @type {const} */ ('right') })),
];
console.log(renderTable(columns, rows, (text) => text));
process.exit();
