// The longest stretch for which one request holds the host, for each endpoint with bodies at its documented limits: processor time
// between two turns of the event loop. Nothing but the host works: a request that is accepted gets 503. Usage: npm run build && node benchmarks/host-stretch.js [part of an endpoint or of a body's name]
import { EventEmitter } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { renderTable } from '../dist/src/cli/format.js';
import { createHandler } from '../dist/src/create-handler.js';
import { InferenceError } from '../dist/src/errors.js';
import { voice } from '../dist/src/index.js';
import { createFakeInference } from '../dist/src/testing/fake-inference.js';
import { machine } from './measure.js';

const models = [
  { id: 'chat', category: 'chat' },
  { id: 'embed', category: 'embedding' },
  { id: 'rerank', category: 'rerank' },
  { id: 'speech', category: 'speech' },
  { id: 'image', category: 'image' },
  { id: 'detect', category: 'detection' },
  { id: 'transcribe', category: 'transcription' },
];
const agent = voice({ hears: 'transcribe', thinks: 'chat', speaks: 'speech' });
const inference = createFakeInference(/** @type {any} */ ({ models, voices: { agent } }));
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

/** @returns {Generator<[string, string, object | string]>} */
function* cases() {
  yield ['chat/completions', '16,300 messages', { model: 'chat', messages: turns }];
  yield [
    'chat/completions',
    'one text of 15 MiB',
    { model: 'chat', messages: [{ role: 'user', content: longText }] },
  ];
  yield ['chat/completions', 'tokens with a bias', { ...chat, logit_bias: bias }];
  yield ['chat/completions', '500 tools of 30 parameters', { ...chat, tools }];
  yield ['chat/completions', 'json_schema as text', { ...chat, json_schema: arrays }];
  yield ['chat/completions', 'guided_json as text', { ...chat, guided_json: arrays }];
  yield ['chat/completions', 'grammar as text', { ...chat, grammar: arrays }];
  yield ['chat/completions', 'arguments of arrays', { model: 'chat', messages: [user, calls(arrays)] }];
  yield [
    'chat/completions',
    'arguments of text',
    { model: 'chat', messages: [user, calls(JSON.stringify({ x: longText }))] },
  ];
  yield [
    'chat/completions',
    'arguments of escapes',
    { model: 'chat', messages: [user, calls(JSON.stringify({ x: escapes.slice(0, mebibytes / 5) }))] },
  ];
  yield ['chat/completions', 'no JSON: 15 MiB of [', '['.repeat(mebibytes)];
  yield ['chat/completions', 'no JSON: a text without end', `{"model":"${'x'.repeat(mebibytes)}`];
  yield ['chat/completions', 'no JSON: 1 MB of digits', '1'.repeat(1_000_000)];
  yield ['completions', '2,000 prompts', { model: 'chat', prompt: listOf(2000, () => 'Hi') }];
  yield ['completions', '500,000 token ids', { model: 'chat', prompt: listOf(500_000, () => 7) }];
  yield ['messages', '16,300 messages', { ...chat, max_tokens: 8, messages: turns }];
  yield ['messages/count_tokens', '16,300 messages', { ...chat, messages: turns }];
  yield [
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
  ];
  yield ['responses', '16,300 items', { model: 'chat', input: turns }];
  yield [
    'responses',
    'arguments of arrays',
    { model: 'chat', input: [user, { type: 'function_call', call_id: 'c', name: 'f', arguments: arrays }] },
  ];
  yield ['responses/input_tokens', '16,300 items', { model: 'chat', input: turns }];
  yield ['tokenize', '16,300 messages', { model: 'chat', messages: turns }];
  yield ['tokenize', 'one text of 15 MiB', { model: 'chat', prompt: longText }];
  yield ['detokenize', '500,000 token ids', { model: 'chat', tokens: listOf(500_000, () => 7) }];
  yield [
    'embeddings',
    '2,048 texts of 7 kB',
    { model: 'embed', input: listOf(2048, () => longText.slice(0, 7000)) },
  ];
  yield [
    'rerank',
    '2,048 documents of 7 kB',
    { model: 'rerank', query: 'Hi', documents: listOf(2048, () => longText.slice(0, 7000)) },
  ];
  yield [
    'audio/speech',
    '32,768 characters',
    { model: 'speech', voice: 'v', input: longText.slice(0, 32_768) },
  ];
  yield ['images/generations', 'a prompt of 15 MiB', { model: 'image', prompt: longText }];
  yield ['detect', 'a picture of 15 MiB', { model: 'detect', image: 'A'.repeat(mebibytes) }];
}

const recording = Buffer.alloc(120 * 2 ** 20);
recording.write('RIFF');
const part = (/** @type {string} */ name, /** @type {string} */ value) =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
const file = (/** @type {Buffer} */ bytes) => [
  Buffer.from('--b\r\ncontent-disposition: form-data; name="file"; filename="a.wav"\r\n\r\n'),
  bytes,
  Buffer.from('\r\n--b--\r\n'),
];
const form = (/** @type {string} */ fields, /** @type {Buffer} */ bytes) =>
  Buffer.concat([Buffer.from(fields), ...file(bytes)]);
const model = part('model', 'transcribe');
/** @returns {Generator<[string, string, Buffer]>} */
function* uploads() {
  yield ['audio/transcriptions', 'a recording of 120 MiB', form(model, recording)];
  yield ['audio/transcriptions', '30 MB of line ends', form(model, Buffer.alloc(30 * 10 ** 6, '\r\n--'))];
  yield [
    'audio/transcriptions',
    'a prompt of 500 kB',
    form(model + part('prompt', longText.slice(0, 500_000)), recording.subarray(0, 1000)),
  ];
  yield [
    'audio/transcriptions',
    '20,000 fields',
    form(model + part('x', 'y').repeat(20_000), recording.subarray(0, 1000)),
  ];
}

/** 16 s of 16-bit samples at 24 kHz, in an event of less than 1 MiB. @param {(index: number) => number} sample */
const appendOf = (sample) => {
  const bytes = Buffer.from(Int16Array.from({ length: 384_000 }, (_, index) => sample(index)).buffer);
  return { type: 'input_audio_buffer.append', audio: bytes.toString('base64') };
};
const silence = appendOf(() => 0);
const bursts = appendOf((index) => (index % 9600 < 4800 ? 9000 * Math.sin(index / 4) : 0));
const mostBytes = 2 ** 20 - 100;
const commit = { type: 'input_audio_buffer.commit' };
const byHand = {
  type: 'session.update',
  session: { type: 'transcription', audio: { input: { turn_detection: null } } },
};
/** @returns {Generator<[string, (object | string)[]]>} */
function* sessions() {
  yield ['20 events of silence', listOf(20, () => silence)];
  yield ['20 events of bursts', listOf(20, () => bursts)];
  yield ['commits by hand', [byHand, ...listOf(20, () => [bursts, commit]).flat()]];
  yield ['1,000 small events', listOf(1000, () => ({ ...silence, audio: silence.audio.slice(0, 1280) }))];
  yield ['20 events of [', listOf(20, () => '['.repeat(mostBytes))];
  yield ['20 events of escapes', listOf(20, () => `{"type":"${'\\"'.repeat(mostBytes / 2 - 20)}"}`)];
  yield ['20 events of an unknown type', listOf(20, () => ({ type: 'x'.repeat(mostBytes) }))];
  yield [
    '20 events of 8,000 values',
    listOf(20, () => ({ type: 'session.update', session: listOf(8000, () => 'x'.repeat(120)) })),
  ];
}

const says = (/** @type {object} */ content) => ({
  type: 'conversation.item.create',
  item: { type: 'message', role: 'user', content: [content] },
});
/** Of a voice agent. @returns {Generator<[string, (object | string)[]]>} */
function* conversations() {
  const tool = (/** @type {number} */ index) => ({
    type: 'function',
    name: `tool_${index}`,
    parameters: {
      type: 'object',
      properties: Object.fromEntries(listOf(12, (at) => [`p${at}`, { type: 'string' }])),
    },
  });
  yield [
    '20 updates of 128 tools',
    listOf(20, () => ({ type: 'session.update', session: { type: 'realtime', tools: listOf(128, tool) } })),
  ];
  yield [
    '1,000 items and an answer',
    [
      ...listOf(1000, (at) => says({ type: 'input_text', text: `${at}`.repeat(500) })),
      { type: 'response.create' },
    ],
  ];
  yield ['20 items of audio', listOf(20, () => says({ type: 'input_audio', audio: bursts.audio }))];
  yield ['20 events of speech', listOf(20, () => bursts)];
}

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

const json = 'application/json';
async function ask(/** @type {string} */ path, /** @type {Buffer} */ body, type = json) {
  const response = await handler({
    method: 'POST',
    url: `/v1/${path}`,
    headers: { 'content-type': type, 'content-length': String(body.length) },
    body: chunksOf(body),
    signal: new AbortController().signal,
  });
  if (typeof response.body !== 'string' && !(response.body instanceof Uint8Array)) {
    for await (const _ of response.body);
  }
  return response.status;
}

/** Sends messages over a socket, as fast as it takes them. @param {string} query @param {Buffer[]} messages */
async function talk(query, messages) {
  const controller = new AbortController();
  const { socket, status } = await handler({
    method: 'GET',
    url: `/v1/realtime?${query}`,
    headers: {},
    body: { parsed: undefined },
    signal: controller.signal,
    asksForSocket: true,
  });
  if (!socket) return status;
  const client = new EventEmitter();
  const state = { isPaused: false };
  const fake = Object.assign(client, {
    bufferedAmount: 0,
    send() {},
    ping() {},
    pause: () => (state.isPaused = true),
    resume: () => (state.isPaused = false),
    close: () => controller.abort(),
    terminate: () => controller.abort(),
  });
  socket.take(/** @type {any} */ (fake));
  for (const message of messages) {
    while (state.isPaused && !controller.signal.aborted) await turn();
    client.emit('message', message, false);
    await turn();
  }
  for (let left = 50; left > 0 && !controller.signal.aborted; left--) await turn();
  controller.abort();
  return status;
}

/**
 * Each is made when its turn comes: what waits would be collected with what is measured.
 *
 * @returns {Generator<[path: string, name: string, bytes: number, work: () => Promise<number>]>}
 */
function* works() {
  for (const [path, name, body] of cases()) {
    const sent = Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
    yield [path, name, sent.length, () => ask(path, sent)];
  }
  for (const [path, name, body] of uploads())
    yield [path, name, body.length, () => ask(path, body, 'multipart/form-data; boundary=b')];
  const live = [...sessions()].map(
    ([name, events]) => /** @type {const} */ (['model=transcribe', name, events]),
  );
  const spoken = [...conversations()].map(
    ([name, events]) => /** @type {const} */ (['model=agent', `agent: ${name}`, events]),
  );
  for (const [query, name, events] of [...live, ...spoken]) {
    const messages = events.map((event) =>
      Buffer.from(typeof event === 'string' ? event : JSON.stringify(event)),
    );
    const size = messages.reduce((sum, { length }) => sum + length, 0);
    yield ['realtime', name, size, () => talk(query, messages)];
  }
}

const wanted = process.argv[2] ?? '';
const rows = [];
for (const [path, name, length, work] of works()) {
  if (!`${path} ${name}`.includes(wanted)) continue;
  /** @type {number[]} */
  const times = [];
  /** @type {unknown} */
  let status = 0;
  for (let round = 0; round < 3; round++) {
    const { longest, result } = await longestStretch(work);
    status = result;
    if (round > 0) times.push(longest);
  }
  times.sort((a, b) => a - b);
  console.error(path, name, times.map((time) => time.toFixed(1)).join(' '));
  rows.push([path, name, (length / 1e6).toFixed(1), String(status), ...times.map((time) => time.toFixed(1))]);
}
console.log(
  '\nLongest stretch of the host, milliseconds of processor time, of two requests each after one to warm up',
);
console.log(machine());
const columns = [
  'endpoint',
  'body or events',
  ...['MB', 'status', 'least', 'most'].map((right) => ({ right })),
];
console.log(renderTable(columns, rows, (text) => text));
process.exit();
