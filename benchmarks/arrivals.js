// How long prompts that arrive together wait for their first tokens: the time until the last one has its own, over that of
// one step that reads them all. With a model of real shape; times are processor time, which other load changes little.
// Usage: node benchmarks/arrivals.js --model FOLDER [--threads 2] [--prompts 8] [--length 64] [--rounds 5]
import { parseArgs } from 'node:util';
import { Batcher } from '../dist/src/categories/chat/pipeline/batch/batcher.js';
import { loadDecoder } from '../dist/src/backends/onnx/chat/load-decoder.js';
import { PrefixCache } from '../dist/src/categories/chat/pipeline/batch/prefix-cache.js';
import { createRng } from '../dist/src/core/sampling/rng.js';
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
    prompts: { type: 'string', default: '8' },
    length: { type: 'string', default: '64' },
    rounds: { type: 'string', default: '5' },
  },
});
const count = Number(values.prompts);
const length = Number(values.length);
const decoder = await loadDecoder(locateDecoder(values.model), { threads: Number(values.threads) });
const rng = createRng(1);
/** Tokens that all prompts begin with, as chat templates have them. */
const beginning = [1, 9690, 198, 2683];

function createPrompt() {
  const rest = Array.from({ length: length - beginning.length }, () => 100 + Math.floor(rng.next() * 8000));
  return Int32Array.from([...beginning, ...rest]);
}

async function readAll() {
  const cache = decoder.createCache(count);
  const tokens = Int32Array.from(Array.from({ length: count }, () => [...createPrompt()]).flat());
  const used = cpuTimer();
  await decoder.forward(cache, tokens, length);
  const time = used();
  cache.release();
  return time;
}

const prefixes = new PrefixCache(decoder, { maxSequences: 8, maxBytes: 2 ** 28 });
const batcher = new Batcher(decoder, { maxRows: count, prefixes });

/** @param {number} steps after the first token, which the others wait for */
async function arrive(steps) {
  const used = cpuTimer();
  let last = 0;
  await Promise.all(
    Array.from(
      { length: count },
      () =>
        new Promise((resolve, reject) => {
          let tokens = 0;
          const continuation = {
            remaining: 1,
            next() {
              if (tokens++ === 0) last = used();
              return tokens <= steps ? 300 + tokens : undefined;
            },
          };
          batcher.add({
            prompt: createPrompt(),
            continuations: [continuation],
            maxTotalTokens: Infinity,
            reproducible: false,
            cancelled: false,
            promptEnded() {},
            ended: () => resolve(undefined),
            failed: reject,
          });
        }),
    ),
  );
  return last;
}

const results = await compare(
  { 'one step for all': readAll, 'first token, then 16 more': () => arrive(16) },
  Number(values.rounds),
);
printRatios(`${count} prompts of ${length} tokens, ${machine()}`, results, {
  unit: 'CPU ms',
  baseline: 'one step for all',
});
await decoder.release();
