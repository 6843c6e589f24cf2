// A GGUF file in our chat pipeline beside node-llama-cpp's own LlamaChatSession: one stream, greedy, the same prompt and
// threads, each in a process of its own, in turns. Printed are the time a token after the first, and the processor time a token, prompt included.
// Usage: node benchmarks/llama.js FILE.gguf [tokens] [rounds] [threads]
// node-llama-cpp has to be installed where Node finds it from here; NODE_LLAMA_CPP names another node_modules folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { machine, median } from './measure.js';

const [file = '', tokens = 128, rounds = 7, threads = 1] = process.argv
  .slice(2, 6)
  .map((argument, index) => (index === 0 ? argument : Number(argument)));
const engine = process.argv[6];
const content = 'Describe a scene with three shapes and tell me which of them is the largest.';
const path = resolve(String(file));
const count = Number(tokens);

/** @typedef {() => Promise<{ start: number, end: number, tokens: number }>} Generate from the first token to the last */

/** @returns {Promise<Generate>} */
async function openOwn() {
  const { loadPipeline } = await import('../dist/src/load-pipeline.js');
  const { completeChatRequest } = await import('../dist/src/categories/chat/request.js');
  const pipeline = await loadPipeline({ id: 'a', source: path, category: 'chat', threads: Number(threads) });
  const request = completeChatRequest({
    model: 'a',
    messages: [{ role: 'user', content }],
    temperature: 0,
    repeatPenalty: 1,
    maxTokens: count,
  });
  return async () => {
    const times = { start: 0, end: 0, tokens: 0 };
    for await (const event of pipeline.run(request)) {
      if (event.type === 'prompt-end') times.start = performance.now();
      else if (event.type === 'choice-end') times.end = performance.now();
      else if (event.type === 'usage') times.tokens = event.completionTokens;
    }
    return times;
  };
}

/** @returns {Promise<Generate>} */
async function openPeer() {
  const folder = process.env['NODE_LLAMA_CPP'];
  const name = folder
    ? pathToFileURL(resolve(folder, 'node-llama-cpp/dist/index.js')).href
    : 'node-llama-cpp';
  /** @type {any} */
  const { getLlama, LlamaChatSession } = await import(name);
  const llama = await getLlama({ gpu: false, build: 'never', skipDownload: true, logLevel: 'error' });
  const model = await llama.loadModel({ modelPath: path, gpuLayers: 0 });
  const wanted = { ideal: Number(threads), min: Number(threads) };
  const context = await model.createContext({ contextSize: 2048, batchSize: 512, threads: wanted });
  const contextSequence = context.getSequence();
  return async () => {
    const times = { start: 0, end: 0, tokens: 0 };
    await contextSequence.clearHistory();
    const session = new LlamaChatSession({ contextSequence, autoDisposeSequence: false });
    await session.prompt(content, {
      temperature: 0,
      maxTokens: count,
      /** @param {readonly number[]} more */
      onToken(more) {
        times.end = performance.now();
        if (times.tokens === 0) times.start = times.end;
        times.tokens += more.length;
      },
    });
    session.dispose();
    return times;
  };
}

if (engine !== undefined) {
  const generate = await (engine === 'slashv1' ? openOwn() : openPeer());
  process.on('message', async () => {
    const before = process.cpuUsage();
    const { start, end, tokens: got } = await generate();
    const { user, system } = process.cpuUsage(before);
    process.send?.({ steps: got - 1, wall: (end - start) / (got - 1), cpu: (user + system) / 1000 / got });
  });
  process.send?.('ready');
} else {
  const names = ['slashv1', 'LlamaChatSession'];
  const children = names.map((name) => {
    const options = [String(file), tokens, rounds, threads, name].map(String);
    return fork(fileURLToPath(import.meta.url), options);
  });
  await Promise.all(children.map((child) => once(child, 'message')));
  /** @type {{ wall: number[], cpu: number[] }[]} */
  const results = names.map(() => ({ wall: [], cpu: [] }));
  for (let round = 0; round <= Number(rounds); round++) {
    const order = round % 2 === 0 ? [0, 1] : [1, 0];
    for (const index of order) {
      children[index]?.send('go');
      const [{ steps, wall, cpu }] = await once(/** @type {any} */ (children[index]), 'message');
      if (steps < count / 2) throw new Error(`${names[index]}: ${steps + 1} tokens, expected about ${count}`);
      if (round === 0) continue;
      results[index]?.wall.push(wall);
      results[index]?.cpu.push(cpu);
    }
  }
  for (const child of children) child.kill();
  console.log(machine());
  console.log(`${path}, ${count} tokens, ${threads} threads, ${rounds} rounds`);
  for (const kind of /** @type {const} */ (['wall', 'cpu'])) {
    const [own = [], peer = []] = results.map((result) => result[kind]);
    const ratios = own.map((value, round) => (peer[round] ?? Number.NaN) / value);
    console.log(
      `${kind} ms a token: slashv1 ${median(own).toFixed(2)}, LlamaChatSession ${median(peer).toFixed(2)}; ` +
        `speed over it by pairs: ${median(ratios).toFixed(3)} (${ratios.map((ratio) => ratio.toFixed(2)).join(' ')})`,
    );
  }
}
