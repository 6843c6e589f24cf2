// Counts the files and functions that run for one warm request of each kind, host and pipeline in one process.
import { Session } from 'node:inspector/promises';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { readFileSync } from 'node:fs';
import { createHandler, createInference } from '../../dist/src/index.js';
import { toNodeListener } from '../../dist/adapters/node.js';

const root = new URL('../../dist/', import.meta.url).href;
/** @param {string} name */
const media = (name) => readFileSync(new URL(`../e2e/media/${name}`, import.meta.url));
const models = ['tiny-chat', 'tiny-embed', 'tiny-detect', 'tiny-whisper', 'tiny-speech'];
const inference = createInference({
  isolation: 'inline',
  models: Object.fromEntries(models.map((source) => [source, { source }])),
});
const server = createServer(toNodeListener(createHandler(inference, { auth: 'none' })));
await once(server.listen(0, '127.0.0.1'), 'listening');
const address = /** @type {import('node:net').AddressInfo} */ (server.address());
const origin = `http://127.0.0.1:${address.port}/v1`;
await inference.ready();

const question = 'Describe a scene with two shapes.';
const messages = [{ role: 'user', content: question }];
const sampling = { seed: 1, max_tokens: 16, stream: true };
const weather = {
  name: 'get_weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
/**
 * @param {string} path
 * @param {object} body
 */
const json = (path, body) => () =>
  fetch(origin + path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
const form = () => {
  const body = new FormData();
  body.set('model', 'tiny-whisper');
  body.set('file', new Blob([media('speech.wav')]), 'speech.wav');
  return fetch(`${origin}/audio/transcriptions`, { method: 'POST', body });
};

const kinds = {
  chat: json('/chat/completions', { model: 'tiny-chat', messages, ...sampling }),
  messages: json('/messages', { model: 'tiny-chat', messages, ...sampling }),
  responses: json('/responses', {
    model: 'tiny-chat',
    input: question,
    stream: true,
    max_output_tokens: 16,
  }),
  tools: json('/chat/completions', {
    model: 'tiny-chat',
    messages: [{ role: 'user', content: 'What is the weather in Rome?' }],
    tools: [{ type: 'function', function: weather }],
    tool_choice: 'required',
    seed: 1,
    stream: true,
  }),
  embedding: json('/embeddings', { model: 'tiny-embed', input: 'a red circle' }),
  detection: json('/detect', {
    model: 'tiny-detect',
    image: `data:image/png;base64,${media('picture.png').toString('base64')}`,
  }),
  transcription: form,
  speech: json('/audio/speech', { model: 'tiny-speech', input: 'Hello there.' }),
};

const session = new Session();
session.connect();
await session.post('Profiler.enable');
/** @type {Record<string, { files: number, functions: number }>} */
const counts = {};
for (const [kind, send] of Object.entries(kinds)) {
  const run = async () => {
    const response = await send();
    const body = await response.text();
    if (!response.ok) throw new Error(`${kind}: ${body}`);
  };
  for (let times = 0; times < 3; times++) await run();
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  await session.post('Profiler.stopPreciseCoverage');
  const files = result
    .filter(({ url }) => url.startsWith(root))
    .map(({ url, functions }) => ({
      file: url.slice(root.length),
      functions: functions.filter(({ ranges: [whole] }) => (whole?.count ?? 0) > 0),
    }))
    .filter(({ functions }) => functions.length > 0);
  counts[kind] = {
    files: files.length,
    functions: files.reduce((sum, { functions }) => sum + functions.length, 0),
  };
  if (!process.argv.includes(kind)) continue;
  for (const { file, functions } of files)
    console.error(file, functions.map(({ functionName }) => functionName || '-').join(' '));
}
console.log(JSON.stringify(counts));
await inference.close();
server.closeAllConnections();
server.close();
