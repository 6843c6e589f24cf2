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

/** @param {import('../../dist/src/index.js').Inference} real */
async function load(real) {
  try {
    await real.ready();
    return 'ready';
  } catch (error) {
    return /** @type {{ code: string }} */ (error).code;
  }
}

/** Asks the model that could not be loaded. @param {import('../../dist/src/index.js').Inference} real */
async function embedding(real) {
  const embed = toFetch(createHandler(real, { auth: 'none', onError: () => {} }));
  const body = JSON.stringify({ model: 'm', input: 'Hi' });
  const headers = { 'content-type': 'application/json' };
  const { status, headers: told } = await embed(
    new Request(url('embeddings'), { method: 'POST', body, headers }),
  );
  const seconds = told.get('retry-after');
  return seconds === null ? String(status) : `${status}, again after ${seconds} s`;
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
const real = createInference({ models: { m: { source: 'tiny-embed' } } });
const without = { ...(await all()), load: await load(real), embedding: await embedding(real) };
for (const file of held) closeSync(file);
// A request that is refused loads the model again.
let embedded = await embedding(real);
for (let tries = 0; tries < 3 && embedded !== '200'; tries++) embedded = await embedding(real);
const after = { ...(await all()), embedding: embedded };
console.log(JSON.stringify({ before, without, after, held: held.length }));
await real.close({ graceMs: 0 });
process.exit();
