// From the start of a process to its first and second answer: slashv1 over HTTP, with a graph that was rewritten before and with one
// that wasn't; transformers.js and node-llama-cpp within the process. Each start is a fresh process; shuffled order, medians.
// Usage: npm run build && node benchmarks/peers/cold-start.js --model FOLDER [--gguf FILE --node-modules FOLDER] [--rounds 7] [--threads 2]
//   FOLDER has a hub's layout with onnx/model_q4.onnx; the other folder has node-llama-cpp
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, linkSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { renderTable } from '../../dist/src/cli/format.js';
import { machine, median, shuffle } from '../measure.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    model: { type: 'string' },
    gguf: { type: 'string' },
    'node-modules': { type: 'string' },
    rounds: { type: 'string', default: '7' },
    threads: { type: 'string', default: '2' },
  },
});
const folder = resolve(values.model ?? '');
const threads = Number(values.threads);
const maxTokens = 8;
const messages = [{ role: /** @type {const} */ ('user'), content: 'What is a river?' }];

/** @typedef {Record<string, number>} Times milliseconds since the process was started, by part */

/** Since the process was started. */
const now = () => performance.now();

/** @type {Record<string, (note: (part: string) => void) => Promise<() => Promise<void>>>} */
const contenders = {
  async slashv1(note) {
    const { chat, createHandler, createInference } = await import('slashv1');
    const { toNodeListener } = await import('slashv1/node');
    note('import');
    const inference = createInference({ models: { model: chat({ source: folder, threads }) } });
    const server = createServer(toNodeListener(createHandler(inference, { auth: 'none' })));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
    inference.observe({ onModelLoad: () => note('load') });
    await inference.ready();
    note('ready');
    return async () => {
      const response = await fetch(`http://127.0.0.1:${port}/v1/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'model', messages, max_tokens: maxTokens, temperature: 0 }),
      });
      if (!response.ok) throw new Error(await response.text());
      await response.json();
    };
  },
  async 'transformers.js'(note) {
    const { env, pipeline } = await import('@huggingface/transformers');
    note('import');
    env.localModelPath = dirname(folder);
    env.allowRemoteModels = false;
    const session = { intraOpNumThreads: threads, interOpNumThreads: 1 };
    const options = { dtype: /** @type {const} */ ('q4'), session_options: session };
    const generate = await pipeline('text-generation', basename(folder), options);
    note('ready');
    return async () => void (await generate(messages, { max_new_tokens: maxTokens, do_sample: false }));
  },
  async 'node-llama-cpp'(note) {
    const entry = join(resolve(values['node-modules'] ?? ''), 'node-llama-cpp/dist/index.js');
    const { getLlama, LlamaChatSession } = await import(pathToFileURL(entry).href);
    note('import');
    const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, logLevel: 'error' });
    const model = await llama.loadModel({ modelPath: resolve(values.gguf ?? '') });
    const context = await model.createContext({ contextSize: 2048, threads });
    note('ready');
    return async () => {
      const sequence = context.getSequence();
      const session = new LlamaChatSession({ contextSequence: sequence });
      await session.prompt(messages[0]?.content, { maxTokens, temperature: 0 });
      session.dispose();
      sequence.dispose();
    };
  },
};

/** @param {string} name */
async function runContender(name) {
  /** @type {Times} */
  const times = {};
  const answer = await contenders[name]?.((part) => (times[part] = now()));
  await answer?.();
  times['first answer'] = now();
  await answer?.();
  times['second answer'] = now() - times['first answer'];
  process.stdout.write(JSON.stringify(times));
  process.exit();
}

/** A copy of the model without rewritten graphs; its weights are linked. */
function freshFolder() {
  const copy = join(mkdtempSync(join(tmpdir(), 'cold-')), basename(folder));
  const isGraph = (/** @type {string} */ path) => path.includes('/onnx');
  cpSync(folder, copy, { recursive: true, filter: (path) => !isGraph(path.slice(folder.length)) });
  mkdirSync(join(copy, 'onnx'));
  for (const file of readdirSync(join(folder, 'onnx')))
    if (!file.endsWith('.slashv1')) linkSync(join(folder, 'onnx', file), join(copy, 'onnx', file));
  return copy;
}

/** @param {string} name @param {string} source @returns {Promise<Times>} */
async function start(name, source) {
  const beganAt = performance.now();
  const options = ['--model', source, '--threads', values.threads];
  if (values.gguf) options.push('--gguf', values.gguf);
  if (values['node-modules']) options.push('--node-modules', values['node-modules']);
  const child = spawn(process.execPath, [fileURLToPath(import.meta.url), name, ...options], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const spawnMs = performance.now() - beganAt;
  const printed = await text(child.stdout);
  if (printed === '') throw new Error(`${name}: it ended without an answer`);
  const times = JSON.parse(printed);
  for (const part of Object.keys(times)) if (part !== 'second answer') times[part] += spawnMs;
  return times;
}

const [contender] = positionals;
if (contender === undefined) {
  console.log(`${machine()}, ${basename(folder)}, ${maxTokens} tokens, ${threads} threads`);
  const rows = [
    { title: 'slashv1, rewritten before', name: 'slashv1', isFresh: false },
    { title: 'slashv1, first load of all', name: 'slashv1', isFresh: true },
    { title: 'transformers.js', name: 'transformers.js', isFresh: false },
    ...(values.gguf ? [{ title: 'node-llama-cpp', name: 'node-llama-cpp', isFresh: false }] : []),
  ];
  /** @type {Map<string, Times[]>} */
  const measured = new Map(rows.map(({ title }) => [title, []]));
  await start('slashv1', folder);
  for (let round = 0; round < Number(values.rounds); round++)
    for (const { title, name, isFresh } of shuffle(rows)) {
      const source = isFresh ? freshFolder() : folder;
      measured.get(title)?.push(await start(name, source));
      if (isFresh) rmSync(dirname(source), { recursive: true });
    }
  const parts = ['import', 'load', 'ready', 'first answer', 'second answer'];
  console.log(
    renderTable(
      ['ms since the start', ...parts].map((title, at) => (at === 0 ? title : { right: title })),
      [...measured].map(([title, runs]) => [
        title,
        ...parts.map((part) => {
          const times = runs.map((run) => run[part]).filter((time) => time !== undefined);
          return times.length === 0 ? '' : median(times).toFixed(0);
        }),
      ]),
      (cell) => cell,
    ),
  );
} else await runContender(contender);
