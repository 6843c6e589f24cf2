// A GGUF file in our chat pipeline, fresh and after twelve other conversations, beside node-llama-cpp's own LlamaChatSession: one
// stream, greedy, the same prompt and threads, each in a process of its own, in turns. Printed are wall and processor time of the
// a token of the prompt and of a token after it, and their ratios in pairs; LlamaChatSession adds a system message of its own.
// Usage: node benchmarks/llama.js FILE.gguf [tokens] [rounds] [threads] [words of the prompt]
// node-llama-cpp has to be installed where Node finds it from here; NODE_LLAMA_CPP names another node_modules folder.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { cpuTimer, machine, median } from './measure.js';

const [file = '', tokens = 128, rounds = 7, threads = 1, words = 15] = process.argv
  .slice(2, 7)
  .map((argument, index) => (index === 0 ? argument : Number(argument)));
const contender = process.argv[7];
const path = resolve(String(file));
const count = Number(tokens);
const others = 12;
const nouns = 'a scene with three shapes and tell me which of them is the largest one here'.split(' ');

/** @param {number} topic */
const textOf = (topic) =>
  [
    `Topic ${topic}:`,
    ...Array.from({ length: Number(words) }, (_, index) => nouns[(index * (topic + 1)) % nouns.length]),
  ].join(' ');

/**
 * @typedef {{ prompt: number, token: number }} Times milliseconds a token
 * @typedef {{ wall: Times, cpu: Times }} Measured
 */

/** Takes the times of one answer. */
function stopwatch() {
  const cpu = cpuTimer();
  const started = performance.now();
  const now = () => ({ wall: performance.now() - started, cpu: cpu() });
  let first = now();
  let last = first;
  return {
    first: () => void (first = now()),
    last: () => void (last = now()),
    /**
     * @param {number} read tokens of the prompt that were computed
     * @param {number} got
     * @returns {Measured}
     */
    times(read, got) {
      if (got < count / 2) throw new Error(`got ${got} tokens, expected about ${count}`);
      /** @param {'wall' | 'cpu'} kind */
      const of = (kind) => ({ prompt: first[kind] / read, token: (last[kind] - first[kind]) / (got - 1) });
      return { wall: of('wall'), cpu: of('cpu') };
    },
  };
}

/**
 * @param {number} before conversations that end before
 * @returns {Promise<Measured>}
 */
async function measureOwn(before) {
  const { loadPipeline } = await import('../dist/src/loading/load-pipeline.js');
  const { completeChatRequest } = await import('../dist/src/categories/chat/request.js');
  const pipeline = await loadPipeline({ id: 'a', source: path, category: 'chat', threads: Number(threads) });
  /** @param {number} topic @param {number} maxTokens */
  const answer = async (topic, maxTokens) => {
    const messages = [{ role: /** @type {const} */ ('user'), content: textOf(topic) }];
    const request = completeChatRequest({
      model: 'a',
      messages,
      temperature: 0,
      repeatPenalty: 1,
      maxTokens,
    });
    const watch = stopwatch();
    let usage = { promptTokens: 0, cachedTokens: 0, completionTokens: 0 };
    for await (const event of pipeline.run(request)) {
      if (event.type === 'prompt-end') watch.first();
      else if (event.type === 'choice-end') watch.last();
      else if (event.type === 'usage') usage = event;
    }
    return () => watch.times(usage.promptTokens - usage.cachedTokens, usage.completionTokens);
  };
  for (let topic = 1; topic <= before; topic++) await answer(topic, 4);
  const times = (await answer(0, count))();
  await pipeline.close();
  return times;
}

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
  const context = await model.createContext({ contextSize: 4096, batchSize: 512, threads: wanted });
  const contextSequence = context.getSequence();
  return async () => {
    await contextSequence.clearHistory();
    const session = new LlamaChatSession({ contextSequence, autoDisposeSequence: false });
    const before = contextSequence.tokenMeter.getState();
    const watch = stopwatch();
    let read = 0;
    let got = 0;
    await session.prompt(textOf(0), {
      temperature: 0,
      maxTokens: count,
      /** @param {readonly number[]} more */
      onToken(more) {
        if (got === 0) {
          watch.first();
          read = contextSequence.tokenMeter.diff(before).usedInputTokens;
        }
        watch.last();
        got += more.length;
      },
    });
    session.dispose();
    return watch.times(read, got);
  };
}

const openers = {
  fresh: async () => () => measureOwn(0),
  'after others': async () => () => measureOwn(others),
  LlamaChatSession: openPeer,
};
const names = /** @type {(keyof typeof openers)[]} */ (Object.keys(openers));

if (contender !== undefined) {
  const measure = await openers[/** @type {keyof typeof openers} */ (contender)]();
  process.on('message', async () => process.send?.(await measure()));
  process.send?.('ready');
} else {
  const children = names.map((name) => {
    const options = [String(file), tokens, rounds, threads, words, name].map(String);
    return fork(fileURLToPath(import.meta.url), options);
  });
  await Promise.all(children.map((child) => once(child, 'message')));
  /** @type {Measured[][]} */
  const results = names.map(() => []);
  for (let round = 0; round <= Number(rounds); round++) {
    const order = names.map((_, index) => (index + round) % names.length);
    for (const index of order) {
      children[index]?.send('go');
      const [measured] = await once(/** @type {any} */ (children[index]), 'message');
      if (round > 0) results[index]?.push(measured);
    }
  }
  for (const child of children) child.kill();
  console.log(machine());
  console.log(`${path}, ${words} words, ${count} tokens, ${threads} threads, ${rounds} rounds`);
  for (const kind of /** @type {const} */ (['wall', 'cpu'])) {
    for (const part of /** @type {const} */ (['prompt', 'token'])) {
      const unit = part === 'prompt' ? 'token of the prompt' : 'token after it';
      const [fresh = [], after = [], peer = []] = results.map((list) =>
        list.map((times) => times[kind][part]),
      );
      /** @param {readonly number[]} over @param {readonly number[]} under */
      const ratio = (over, under) => {
        const ratios = over.map((value, round) => value / (under[round] ?? Number.NaN));
        return `${median(ratios).toFixed(3)} (${ratios.map((value) => value.toFixed(2)).join(' ')})`;
      };
      console.log(
        `${kind} ms a ${unit}: fresh ${median(fresh).toFixed(2)}, after ${others} others ${median(after).toFixed(2)}, ` +
          `LlamaChatSession ${median(peer).toFixed(2)}\n  after over fresh: ${ratio(after, fresh)}\n  fresh over LlamaChatSession: ${ratio(fresh, peer)}`,
      );
    }
  }
}
