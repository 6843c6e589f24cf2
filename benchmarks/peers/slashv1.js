// slashv1 as a service runs it: the model in a process of its own, requests as conversations. Prompts are texts that
// have about as many tokens as asked for. Usage: node benchmarks/peers/slashv1.js --model FOLDER [options]
import { readFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { chat, createInference } from 'slashv1';
import { findWordCount, writeWords } from '../../dist/src/cli/bench/prompts.js';
import { runPeer } from './runner.js';

const id = 'model';
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

await runPeer('slashv1', async ({ model: folder, device, threads, spinning }) => {
  if (spinning === 'off') throw new Error('--spinning: slashv1 has no setting for it');
  // The other engines guess no tokens, and a model of random weights repeats itself more than a real one.
  const settings = {
    source: resolve(folder),
    device: /** @type {import('slashv1').Device} */ (device),
    threads,
    speculation: false,
  };
  const inference = createInference({ models: { [id]: chat(settings) } });
  await inference.ready();

  /**
   * @param {string} text
   * @param {number} count
   * @param {() => void} [onFirstToken]
   */
  async function answer(text, count, onFirstToken) {
    let hasBegun = false;
    let usage = { promptTokens: 0, completionTokens: 0 };
    const messages = [{ role: /** @type {const} */ ('user'), content: text }];
    const greedy = { temperature: 0, repeatPenalty: 1, maxTokens: count, minTokens: count };
    for await (const event of inference.chat({ model: id, messages, ...greedy })) {
      if (event.type === 'text-delta' && !hasBegun) {
        hasBegun = true;
        onFirstToken?.();
      }
      if (event.type === 'usage') usage = event;
    }
    return usage;
  }

  /** @type {Map<number, number>} tokens of a prompt → words */
  const wordCounts = new Map();
  return {
    version,
    model: basename(folder),
    async prepare(lengths) {
      for (const length of lengths) {
        const count = await findWordCount(length, async (text) => (await answer(text, 1)).promptTokens);
        wordCounts.set(length, count);
      }
    },
    async generate(requests, count, onFirstToken) {
      const texts = requests.map(({ length, seed }) => writeWords(seed, wordCounts.get(length) ?? length));
      const answers = await Promise.all(texts.map((text) => answer(text, count, onFirstToken)));
      const least = Math.min(...answers.map(({ completionTokens }) => completionTokens));
      if (least < count) throw new Error(`expected ${count} tokens, got ${least}`);
    },
    close: () => inference.close(),
  };
});
