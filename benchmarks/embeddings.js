// What batching across requests gains: 32 clients at once against one at a time, against the feature-extraction pipeline of
// transformers.js and, with MiniLM, against Python's onnxruntime on the same files. Processor time, one thread. The model is
// MiniLM with trained weights where `npm run test:real` has made it, else tiny-embed.
// Usage: node benchmarks/embeddings.js [rounds] [python with onnxruntime and tokenizers]
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeEmbeddingRequest } from '../dist/src/categories/embedding/request.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';
import { findRealModel, realModels } from './real-models.js';

const rounds = Number(process.argv[2] ?? 15);
const clients = 32;
const requestsOfClient = 8;
const source =
  findRealModel('minilm') ?? fileURLToPath(new URL('../examples/models/tiny-embed', import.meta.url));
const name = basename(source);
const python = process.argv[3] ?? join(realModels, 'environments/hub/bin/python');

const { env, pipeline: createReference } = await import('@huggingface/transformers');
env.localModelPath = dirname(source);
env.allowRemoteModels = false;
const reference = await createReference('feature-extraction', name, {
  dtype: 'fp32',
  session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
});
const own = await loadPipeline({ id: name, category: 'embedding', source, threads: 1 });

/** @param {string} input */
async function embed(input) {
  for await (const { embeddings } of own.run(completeEmbeddingRequest({ model: name, input })))
    return embeddings[0];
  throw new Error('no answer');
}

/** @param {string} text */
const embedByReference = (text) => reference(text, { pooling: 'mean', normalize: true });

/** A process of Python that embeds what it is given; `undefined` where there is none or its pooling isn't the model's. */
function startPython() {
  if (name !== 'minilm' || !existsSync(python)) return undefined;
  const script = fileURLToPath(new URL('embeddings-onnxruntime.py', import.meta.url));
  const child = spawn(python, [script, source], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface(child.stdout);
  return {
    /** @param {readonly string[]} texts @param {number} batch @returns {Promise<{ milliseconds: number, first: number[] }>} */
    async embed(texts, batch) {
      child.stdin.write(`${JSON.stringify({ texts, batch })}\n`);
      const [line] = await once(lines, 'line');
      return JSON.parse(line);
    },
    close: () => child.stdin.end(),
  };
}
const peer = startPython();

const clauses = [
  'a red circle above a blue square',
  'what is the weather in Paris?',
  'hello',
  'three green stars on a gray background',
  'how much is 27 plus fifty-eight',
];
const workloads = {
  'Queries of 3 to 11 tokens': 1,
  'Passages of 40 to 50 tokens': 6,
};

/** @param {number} client @param {number} request @param {number} sentences */
const textOf = (client, request, sentences) =>
  Array.from({ length: sentences }, (_, at) => clauses[(client + request + at) % clauses.length]).join('. ');

/** @typedef {(text: string) => Promise<unknown>} Ask */

/** Every client asks again when it has its answer. @param {Ask} ask @param {number} sentences */
async function atOnce(ask, sentences) {
  await Promise.all(
    Array.from({ length: clients }, async (_, client) => {
      for (let request = 0; request < requestsOfClient; request++)
        await ask(textOf(client, request, sentences));
    }),
  );
}

/** @param {Ask} ask @param {number} sentences */
async function inTurn(ask, sentences) {
  for (let client = 0; client < clients; client++) {
    for (let request = 0; request < requestsOfClient; request++)
      await ask(textOf(client, request, sentences));
  }
}

/** @param {() => Promise<unknown>} work */
async function cpuPerRequest(work) {
  const used = cpuTimer();
  await work();
  return used() / (clients * requestsOfClient);
}

/** @param {number} sentences */
const allTexts = (sentences) =>
  Array.from({ length: clients * requestsOfClient }, (_, index) =>
    textOf(Math.floor(index / requestsOfClient), index % requestsOfClient, sentences),
  );

/** @param {NonNullable<typeof peer>} running @param {number} sentences @param {number} batch */
async function pythonPerText(running, sentences, batch) {
  const { milliseconds } = await running.embed(allTexts(sentences), batch);
  return milliseconds / (clients * requestsOfClient);
}

/** @type {Record<string, number>} */
const furthest = {};
for (const text of [textOf(0, 0, 1), textOf(3, 4, 2), textOf(1, 1, 6)]) {
  const ours = await embed(text);
  /** @param {string} who @param {ArrayLike<number>} theirs */
  const hold = (who, theirs) =>
    ours?.forEach((value, at) => {
      furthest[who] = Math.max(furthest[who] ?? 0, Math.abs(value - (theirs[at] ?? Number.NaN)));
    });
  hold('transformers.js', (await embedByReference(text)).data);
  if (peer) hold('Python', (await peer.embed([text], 1)).first);
}
console.log(`${name}, ${machine()}; largest difference of a number to others:`, furthest);
if (!peer) console.log(`Without Python: it needs the model minilm and ${python}`);

for (const [title, sentences] of Object.entries(workloads)) {
  const results = await compare(
    {
      '32 clients at once': () => cpuPerRequest(() => atOnce(embed, sentences)),
      'one at a time': () => cpuPerRequest(() => inTurn(embed, sentences)),
      'transformers.js, 32 at once': () => cpuPerRequest(() => atOnce(embedByReference, sentences)),
      'transformers.js, one at a time': () => cpuPerRequest(() => inTurn(embedByReference, sentences)),
      ...(peer && {
        "Python's onnxruntime, batches of 32": () => pythonPerText(peer, sentences, 32),
        "Python's onnxruntime, one at a time": () => pythonPerText(peer, sentences, 1),
      }),
    },
    rounds,
  );
  printRatios(title, results, { unit: 'CPU ms a text', baseline: '32 clients at once' });
}
await own.close();
await reference.dispose();
peer?.close();
