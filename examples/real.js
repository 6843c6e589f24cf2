// Trained models together, over HTTP: a question is spoken (Kokoro), transcribed (Whisper), answered (SmolLM2) and spoken
// again, and sentences are compared with it (MiniLM). The models come from `npm run test:real`, or else from Hugging Face.
// Usage: node examples/real.js [question] [file of the spoken answer, default answer.wav]
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { chat, createHandler, createInference, embedding, speech, transcription } from 'slashv1';
import { toNodeListener } from 'slashv1/node';

const question = process.argv[2] ?? 'What is the capital of France?';
const file = process.argv[3] ?? 'answer.wav';
const others = [
  'Paris has been the capital of France for centuries.',
  'Bread rises because yeast makes gas.',
  'The orchestra tunes its instruments.',
];

const folder =
  process.env['SLASHV1_REAL_MODELS'] ||
  join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'slashv1', 'real-models');

/** @param {string} name @param {string} known name in the catalogue @returns {string} a local path, or else the name */
function sourceOf(name, known) {
  const path = join(folder, name);
  const source = existsSync(path) ? path : known;
  console.log(`${name.padEnd(13)} ${source === path ? path : `${known}, from Hugging Face`}`);
  return source;
}

const inference = createInference({
  models: {
    kokoro: speech({ source: sourceOf('kokoro', 'kokoro-82m') }),
    whisper: transcription({ source: sourceOf('whisper-base', 'whisper-base') }),
    smollm2: chat({ source: sourceOf('smollm2-q4', 'smollm2-135m') }),
    minilm: embedding({ source: sourceOf('minilm', 'all-MiniLM-L6-v2') }),
  },
});
const server = createServer(toNodeListener(createHandler(inference, { auth: { keys: ['real'] } })));
await new Promise((done) => server.listen(0, '127.0.0.1', () => done(undefined)));
const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());

/**
 * @param {string} path
 * @param {object | FormData} body
 * @returns {Promise<Response>}
 */
async function post(path, body) {
  const isForm = body instanceof FormData;
  const response = await fetch(`http://127.0.0.1:${port}/v1${path}`, {
    method: 'POST',
    headers: { authorization: 'Bearer real', ...(isForm ? {} : { 'content-type': 'application/json' }) },
    body: isForm ? body : JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

/** @param {string} input @returns {Promise<Blob>} a WAV file */
async function speak(input) {
  const spoken = await post('/audio/speech', { model: 'kokoro', voice: 'af_heart', input });
  return spoken.blob();
}

/** @param {Blob} recording @returns {Promise<string>} */
async function hear(recording) {
  const form = new FormData();
  form.set('model', 'whisper');
  form.set('file', recording, 'speech.wav');
  const { text } = await (await post('/audio/transcriptions', form)).json();
  return text.trim();
}

/** @param {string} content @returns {Promise<string>} */
async function answer(content) {
  const messages = [{ role: 'user', content }];
  const body = { model: 'smollm2', messages, temperature: 0, max_tokens: 60 };
  const { choices } = await (await post('/chat/completions', body)).json();
  return choices[0].message.content.trim();
}

/** @param {string} text @param {readonly string[]} documents @returns {Promise<number[]>} cosines */
async function compare(text, documents) {
  const { data } = await (await post('/embeddings', { model: 'minilm', input: [text, ...documents] })).json();
  /** @type {number[][]} */
  const [own = [], ...vectors] = data.map((/** @type {{ embedding: number[] }} */ one) => one.embedding);
  return vectors.map((vector) => vector.reduce((sum, value, at) => sum + value * (own[at] ?? 0), 0));
}

try {
  await inference.ready();
  console.log(`\nYou ask:       ${question}`);
  const heard = await hear(await speak(question));
  console.log(`Whisper hears: ${heard}`);
  const said = await answer(heard);
  console.log(`SmolLM2 says:  ${said}`);
  const recording = await speak(said);
  await writeFile(file, Buffer.from(await recording.arrayBuffer()));
  console.log(`Kokoro speaks: ${file}, which Whisper hears as: ${await hear(recording)}`);
  console.log('MiniLM compares the question with');
  const documents = [said, ...others];
  const cosines = await compare(heard, documents);
  for (const [index, document] of documents.entries()) {
    console.log(`  ${cosines[index]?.toFixed(3)}  ${document.replaceAll('\n', ' ')}`);
  }
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
} finally {
  await inference.close();
  server.close();
  server.closeAllConnections();
}
