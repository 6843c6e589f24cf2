// What batching across requests gains on tiny-embed: 32 clients at once against one at a time, and against the
// feature-extraction pipeline of transformers.js on the same files. Processor time, one thread.
// Usage: node benchmarks/embeddings.js [rounds]
import { fileURLToPath } from 'node:url';
import { loadPipeline } from '../dist/src/load-pipeline.js';
import { completeEmbeddingRequest } from '../dist/src/categories/embedding/request.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const rounds = Number(process.argv[2] ?? 15);
const clients = 32;
const requestsOfClient = 8;
const models = fileURLToPath(new URL('../examples/models/', import.meta.url));

const { env, pipeline: createReference } = await import('@huggingface/transformers');
env.localModelPath = models;
env.allowRemoteModels = false;
const reference = await createReference('feature-extraction', 'tiny-embed', {
  dtype: 'fp32',
  session_options: { intraOpNumThreads: 1, interOpNumThreads: 1 },
});
const own = await loadPipeline({ id: 'tiny-embed', category: 'embedding', source: 'tiny-embed', threads: 1 });

/** @param {string} input */
async function embed(input) {
  for await (const { embeddings } of own.run(completeEmbeddingRequest({ model: 'tiny-embed', input })))
    return embeddings[0];
  throw new Error('no answer');
}

/** @param {string} text */
const embedByReference = (text) => reference(text, { pooling: 'mean', normalize: true });

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

let furthest = 0;
for (const text of [textOf(0, 0, 1), textOf(3, 4, 2), textOf(1, 1, 6)]) {
  const theirs = (await embedByReference(text)).data;
  const ours = await embed(text);
  ours?.forEach((value, at) => (furthest = Math.max(furthest, Math.abs(value - theirs[at]))));
}
console.log(`${machine()}; largest difference of a number to transformers.js: ${furthest.toExponential(1)}`);

for (const [title, sentences] of Object.entries(workloads)) {
  const results = await compare(
    {
      '32 clients at once': () => cpuPerRequest(() => atOnce(embed, sentences)),
      'one at a time': () => cpuPerRequest(() => inTurn(embed, sentences)),
      'transformers.js, 32 at once': () => cpuPerRequest(() => atOnce(embedByReference, sentences)),
      'transformers.js, one at a time': () => cpuPerRequest(() => inTurn(embedByReference, sentences)),
    },
    rounds,
  );
  printRatios(title, results, { unit: 'CPU ms a text', baseline: '32 clients at once' });
}
await own.close();
await reference.dispose();
