// A service in a process that may have few files open: `sh -c 'ulimit -n 300; exec node few-files.js'`. Prints JSON of its answers.
import { closeSync, openSync } from 'node:fs';
import { createHandler } from '../../dist/src/create-handler.js';
import { toFetch } from '../../dist/adapters/fetch.js';
import { createInference } from '../../dist/src/index.js';
import { createFakeInference } from '../../dist/src/testing/fake-inference.js';

const inference = createFakeInference({
  reply: 'Hello',
  models: ['fake-chat', { id: 'ears', category: 'transcription' }],
  transcript: 'Hi',
});
const answer = toFetch(createHandler(inference, { auth: 'none', onError: () => {} }));
const url = (/** @type {string} */ path) => `http://localhost/v1/${path}`;

async function chat() {
  const body = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] });
  const headers = { 'content-type': 'application/json' };
  return (await answer(new Request(url('chat/completions'), { method: 'POST', body, headers }))).status;
}

async function upload() {
  const body = new FormData();
  body.append('model', 'ears');
  body.append('file', new Blob([new Uint8Array(300_000)]), 'a.wav');
  return (await answer(new Request(url('audio/transcriptions'), { method: 'POST', body }))).status;
}

async function load() {
  const real = createInference({ models: { m: { source: 'tiny-embed' } } });
  try {
    await real.ready();
    return 'ready';
  } catch (error) {
    return /** @type {{ code: string }} */ (error).code;
  } finally {
    await real.close({ graceMs: 0 });
  }
}

const all = async () => ({ chat: await chat(), upload: await upload() });
const before = await all();
/** @type {number[]} */
const held = [];
try {
  for (;;) held.push(openSync('/dev/null', 'r'));
} catch {
  // None are left.
}
const without = { ...(await all()), load: await load() };
for (const file of held) closeSync(file);
const after = await all();
console.log(JSON.stringify({ before, without, after, held: held.length }));
process.exit();
