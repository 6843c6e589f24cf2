// Embeddings, reranking, speech and detection beside what a Python program would use: onnxruntime with tokenizers, piper-tts, kokoro-onnx,
// OpenCV. The same weights, threads and texts; both answer the same requests in turn, in shuffled order, after a round that doesn't count.
// Wall and processor time of slashv1 include its host, the worker process and the messages between them.
// Memory is placed anew in each process, which changes a row by a tenth: so there are several of each.
// Usage: npm run build && node benchmarks/peers/categories.js --python PYTHON [--processes 3] [--rounds 3] [--threads 1,2] [--rows TEXT]
//   [--output FILE] [--detector FILE.onnx] [--image FILE.jpg]
// PYTHON has onnxruntime, tokenizers, piper-tts, kokoro-onnx and opencv-python-headless; the models are those of `npm run test:real`.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createInference, detection, embedding, rerank, speech } from 'slashv1';
import { renderTable } from '../../dist/src/cli/format.js';
import { machine, median, shuffle } from '../measure.js';
import { findRealModel } from '../real-models.js';
import { startClock } from './runner.js';

const { values } = parseArgs({
  options: {
    python: { type: 'string', default: 'python3' },
    processes: { type: 'string', default: '3' },
    rounds: { type: 'string', default: '3' },
    threads: { type: 'string', default: '1,2' },
    rows: { type: 'string', default: '' },
    detector: { type: 'string' },
    image: { type: 'string' },
    output: { type: 'string' },
  },
});

/**
 * @typedef {{ ms: number, cpuMs: number }} Spent
 * @typedef {import('slashv1').Inference} Inference
 *
 * @typedef {object} Row
 * @property {string} name
 * @property {string} kind of the peer
 * @property {readonly (string | undefined)[]} paths of the peer; the row is skipped where one is missing
 * @property {(threads: number) => any} model
 * @property {(inference: Inference) => Promise<unknown>} own
 * @property {readonly object[]} peer its requests
 */

const words =
  'the of and to in is was for on that with as by at from it an are this be which or have not were but one all has had its can more two time other some first after new no about may';
/** @param {number} count @param {number} seed */
function text(count, seed) {
  const list = words.split(' ');
  return Array.from(
    { length: count },
    (_, at) => list[(at * 7 + seed * 13 + ((at * seed) % 5)) % list.length],
  ).join(' ');
}
const queries = Array.from({ length: 256 }, (_, seed) => text(6 + (seed % 7), seed));
const passages = Array.from({ length: 256 }, (_, seed) => text(60 + ((seed * 37) % 100), seed));
const sentence = 'The train to the coast leaves at seven, and it will be cold this morning.';
const paragraph = [
  sentence,
  'We walked along the river until the lights of the town came on.',
  'Nobody had told them that the shop would close so early, which is why they came back with nothing.',
  'If you have a moment, please look at the first page again.',
].join(' ');

const minilm = findRealModel('minilm');
const piper = findRealModel('piper');
const kokoro = findRealModel('kokoro');
const toy = fileURLToPath(new URL('../../examples/models/tiny-rerank', import.meta.url));

/** @param {Inference} inference @param {string | readonly string[]} input */
const embed = (inference, input) =>
  inference.embed({ model: 'model', input: /** @type {string[]} */ (input) });
/** @param {Inference} inference @param {string} input */
async function speak(inference, input) {
  for await (const _ of inference.speak({ model: 'model', input, format: 'pcm' }));
}

/** @param {string} name @param {Pick<Row, 'own' | 'peer'>} row @returns {Row} */
const ofEmbeddings = (name, row) => ({
  name: `MiniLM, ${name}`,
  kind: 'embedding',
  paths: [minilm],
  model: (threads) => embedding({ source: /** @type {string} */ (minilm), threads }),
  ...row,
});
/** @param {Inference} inference @param {readonly string[]} texts @param {number} clients */
async function fromClients(inference, texts, clients) {
  const waiting = [...texts];
  const client = async () => {
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) await embed(inference, next);
  };
  await Promise.all(Array.from({ length: clients }, client));
}
/** @param {readonly string[]} texts */
const single = (texts) => texts.map((one) => ({ texts: [one], batch: 1, sort: false }));
const some = passages.slice(0, 48);
const mixed = [...queries.slice(0, 128), ...passages.slice(0, 64)];

const documents = Array.from({ length: 32 }, (_, seed) => text(20, seed));
/** @param {string} name @param {string} input @param {number} count @returns {Row} */
const ofPiper = (name, input, count) => ({
  name: `Piper, ${name}`,
  kind: 'piper',
  paths: [piper && join(piper, 'en_US-joe-medium.onnx')],
  model: (threads) => speech({ source: /** @type {string} */ (piper), threads }),
  own: async (inference) => {
    for (let at = 0; at < count; at++) await speak(inference, input);
  },
  peer: Array.from({ length: count }, () => ({ text: input })),
});
const detectorFolder = mkdtempSync(join(tmpdir(), 'detector-'));
process.once('exit', () => rmSync(detectorFolder, { recursive: true }));
if (values.detector) symlinkSync(resolve(values.detector), join(detectorFolder, 'model.onnx'));
const classNames = Array.from({ length: 80 }, (_, index) => `class ${index}`);

/** @type {Row[]} */
const rows = [
  ofEmbeddings('64 queries one by one', {
    own: async (inference) => {
      for (const query of queries.slice(0, 64)) await embed(inference, query);
    },
    peer: single(queries.slice(0, 64)),
  }),
  ofEmbeddings('48 passages one by one', {
    own: async (inference) => {
      for (const passage of some) await embed(inference, passage);
    },
    peer: single(some),
  }),
  ofEmbeddings('192 texts of 32 clients; batches as they come', {
    own: (inference) => fromClients(inference, mixed, 32),
    peer: [{ texts: mixed, batch: 32, sort: false }],
  }),
  ofEmbeddings('192 texts of 32 clients; batches by length', {
    own: (inference) => fromClients(inference, mixed, 32),
    peer: [{ texts: mixed, batch: 32, sort: true }],
  }),
  ofEmbeddings('256 queries in one request', {
    own: (inference) => embed(inference, queries),
    peer: [{ texts: queries, batch: 32, sort: true }],
  }),
  ofEmbeddings('256 passages in one request', {
    own: (inference) => embed(inference, passages),
    peer: [{ texts: passages, batch: 32, sort: true }],
  }),
  {
    name: 'toy reranker, 20 requests of 32 documents',
    kind: 'rerank',
    paths: [toy],
    model: (threads) => rerank({ source: toy, threads }),
    own: async (inference) => {
      for (let at = 0; at < 20; at++)
        await inference.rerank({ model: 'model', query: queries[at] ?? '', documents });
    },
    peer: queries.slice(0, 20).map((query) => ({ query, documents })),
  },
  ofPiper('one sentence', sentence, 6),
  ofPiper('a paragraph', paragraph, 2),
  {
    name: 'Kokoro in 8 bits, one sentence',
    kind: 'kokoro',
    paths: [kokoro, 'model_quantized.onnx'],
    model: (threads) => speech({ source: /** @type {string} */ (kokoro), threads }),
    own: (inference) => speak(inference, sentence),
    peer: [{ text: sentence }],
  },
  {
    name: 'detector, 12 photographs',
    kind: 'detection',
    paths: [values.detector && resolve(values.detector), values.image],
    model: (threads) => detection({ source: detectorFolder, classNames, threads }),
    own: async (inference) => {
      const bytes = await readFile(/** @type {string} */ (values.image));
      for (let at = 0; at < 12; at++) await inference.detect({ model: 'model', image: bytes });
    },
    peer: Array.from({ length: 12 }, () => ({ path: resolve(values.image ?? '') })),
  },
];

/** @param {Row} row @param {number} threads */
async function startPeer({ kind, paths }, threads) {
  const script = fileURLToPath(new URL('categories.py', import.meta.url));
  const given = paths.slice(0, kind === 'kokoro' ? 2 : 1);
  const child = spawn(values.python, [script, kind, `${threads}`, .../** @type {string[]} */ (given)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const lines = createInterface(child.stdout);
  await once(lines, 'line');
  return {
    /** @param {readonly object[]} requests @returns {Promise<Spent>} */
    async run(requests) {
      const answer = once(lines, 'line');
      child.stdin.write(`${JSON.stringify(requests)}\n`);
      const [line] = await answer;
      return JSON.parse(line);
    },
    close: () => child.stdin.end(),
  };
}

/** @typedef {{ own: Spent[], peer: Spent[] }} Times */

/** @param {Row} row @param {number} threads */
async function measure(row, threads) {
  /** @type {Times} */
  const spent = { own: [], peer: [] };
  for (let count = 0; count < Number(values.processes); count++) await measurePair(row, threads, spent);
  return spent;
}

/** Adds the times of a new worker and a new peer. @param {Row} row @param {number} threads @param {Times} spent */
async function measurePair(row, threads, spent) {
  const inference = createInference({ models: { model: row.model(threads) } });
  await inference.ready();
  const peer = await startPeer(row, threads);
  const contenders = {
    own: async () => {
      const clock = startClock();
      await row.own(inference);
      return clock();
    },
    peer: () => peer.run(row.peer),
  };
  for (let round = 0; round <= Number(values.rounds); round++)
    for (const side of shuffle(/** @type {const} */ (['own', 'peer']))) {
      const one = await contenders[side]();
      if (round > 0) spent[side].push(one);
    }
  peer.close();
  await inference.close();
}

console.log(machine());
const results = [];
const shown = [];
for (const row of rows) {
  if (!row.name.includes(values.rows)) continue;
  if (row.paths.some((path) => path === undefined)) {
    console.log(`left out: ${row.name}`);
    continue;
  }
  for (const threads of values.threads.split(',').map(Number)) {
    const spent = await measure(row, threads);
    results.push({ name: row.name, threads, ...spent });
    /** @param {'ms' | 'cpuMs'} what */
    const cells = (what) => {
      const [own, peer] = [spent.own, spent.peer].map((list) => list.map((one) => one[what]));
      const ratios = /** @type {number[]} */ (own).map((value, at) => value / (peer?.[at] ?? Number.NaN));
      const ratio = median(own ?? []) / median(peer ?? []);
      return [
        median(own ?? []).toFixed(0),
        median(peer ?? []).toFixed(0),
        `${ratio.toFixed(2)} (${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)})`,
      ];
    };
    shown.push([row.name, `${threads}`, ...cells('ms'), ...cells('cpuMs')]);
    console.error(shown.at(-1)?.join('  '));
  }
}
const titles = ['', 'threads', 'ms', 'peer', 'ratio (range)', 'processor ms', 'peer', 'ratio (range)'];
console.log(
  renderTable(
    titles.map((title, at) => (at === 0 ? title : { right: title })),
    shown,
    (cell) => cell,
  ),
);
if (values.output) writeFileSync(values.output, JSON.stringify(results, undefined, 2));
