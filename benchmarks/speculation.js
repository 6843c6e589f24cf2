// What prompt-lookup speculation saves where answers repeat their prompt, with a model of real shape. Random weights write
// no text, so the answers are given: a prompt of words, of which a share is replaced, as an edit would. The sampler draws
// from the model's logits, and may draw the next word of the answer only; everything else is the real path of a chat.
// Times are processor time, which other load changes little.
// Usage: node benchmarks/speculation.js --model FOLDER [--threads 2] [--words 300] [--rounds 5]
import { parseArgs } from 'node:util';
import { Batcher } from '../dist/src/categories/chat/pipeline/batch/batcher.js';
import { loadDecoder } from '../dist/src/backends/onnx/chat/load-decoder.js';
import { PrefixCache } from '../dist/src/categories/chat/pipeline/batch/prefix-cache.js';
import { createRng } from '../dist/src/core/sampling/rng.js';
import { createSampler } from '../dist/src/core/sampling/sampler.js';
import { locateDecoder } from '../dist/src/folder/model-folder.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';
import { findRealModel } from './real-models.js';

const { values } = parseArgs({
  options: {
    model: {
      type: 'string',
      default: findRealModel('smollm2-gqa-int4') ?? 'benchmarks/models/cache/smollm2-135m-gqa-int4',
    },
    threads: { type: 'string', default: '2' },
    words: { type: 'string', default: '300' },
    rounds: { type: 'string', default: '5' },
  },
});
const words = Number(values.words);
const decoder = await loadDecoder(locateDecoder(values.model), { threads: Number(values.threads) });
const { vocabularySize } = decoder;

/**
 * @param {number} share of tokens that differ from the prompt's
 * @param {number} seed
 */
function editing(share, seed) {
  const rng = createRng(seed);
  const word = () => 100 + Math.floor(rng.next() * 8000);
  const text = Array.from({ length: words }, word);
  return {
    prompt: Int32Array.from(text),
    answer: text.map((token) => (rng.next() < share ? word() : token)),
  };
}

/** Draws one of the tokens that an answer has next, by the whole chain of samplers. */
class Answer {
  #tokens = 0;
  #mask = new Uint32Array(Math.ceil(vocabularySize / 32));
  #sampler = createSampler({}, { vocabularySize, seed: 1 });
  #answer;

  /** @param {readonly number[]} answer */
  constructor(answer) {
    this.#answer = answer;
  }

  get remaining() {
    return this.#answer.length - this.#tokens;
  }

  /** @param {Float32Array} logits */
  next(logits) {
    const wanted = this.#answer[this.#tokens++] ?? 0;
    this.#mask.fill(0);
    this.#mask[wanted >>> 5] = 1 << (wanted & 31);
    const token = this.#sampler.sample(logits, this.#mask);
    this.#sampler.accept(token);
    return this.remaining > 0 ? token : undefined;
  }
}

let round = 0;
/** @type {Record<string, number>} */
const tokensPerStep = {};

/**
 * @param {string} name
 * @param {{ share: number, speculates: boolean }} options
 * @returns {Promise<number>} processor milliseconds of a token
 */
async function timeAnswer(name, { share, speculates }) {
  const prefixes = new PrefixCache(decoder, { maxSequences: 0, maxBytes: 0 });
  const batcher = new Batcher(decoder, { maxRows: 1, prefixes, speculates });
  const { prompt, answer: tokens } = editing(share, 1 + Math.floor(round++ / 8));
  let used = cpuTimer();
  await new Promise((resolve, reject) =>
    batcher.add({
      prompt,
      continuations: [new Answer(tokens)],
      maxTotalTokens: Infinity,
      reproducible: true,
      cancelled: false,
      promptEnded: () => (used = cpuTimer()),
      ended: () => resolve(undefined),
      failed: reject,
    }),
  );
  const prefillSteps = Math.ceil(prompt.length / (decoder.pieceTokens ?? 256));
  tokensPerStep[name] = tokens.length / (batcher.steps - prefillSteps);
  return used() / tokens.length;
}

for (const share of [0, 0.02, 0.1, 0.3, 1]) {
  const contenders = Object.fromEntries(
    [false, true].map((speculates) => {
      const name = speculates ? 'with speculation' : 'without';
      return [name, () => timeAnswer(name, { share, speculates })];
    }),
  );
  const results = await compare(contenders, Number(values.rounds));
  const steps = (tokensPerStep['with speculation'] ?? 1).toFixed(2);
  printRatios(`${100 * share} % of ${words} tokens edited, ${steps} tokens a step, ${machine()}`, results, {
    unit: 'CPU ms per token',
    baseline: 'without',
  });
}
await decoder.release();
