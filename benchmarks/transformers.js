// The backend `transformers()`, with the whole chat pipeline around it, beside the package's own `generate()`: the same
// graph, prompt, threads and number of tokens, in one process, in pairs. Prints the median of the pairs' ratios.
// Usage: node benchmarks/transformers.js [folder or bundled model] [tokens] [rounds]
import { performance } from 'node:perf_hooks';
import { AutoModelForCausalLM, Tensor } from '@huggingface/transformers';
import { toLoadOptions } from '../dist/src/backends/transformers/load-options.js';
import { loadPipeline } from '../dist/src/loading/load-pipeline.js';
import { completeChatRequest } from '../dist/src/categories/chat/request.js';
import { createChatTemplate } from '../dist/src/folder/chat-template.js';
import { openModelFolder } from '../dist/src/folder/model-folder.js';
import { locateModel } from '../dist/src/folder/source.js';
import { createTextTokenizer } from '../dist/src/folder/tokenizer.js';
import { cpuTimer, machine, median, shuffle } from './measure.js';

const source = process.argv[2] ?? 'tiny-chat';
const tokens = Number(process.argv[3] ?? 128);
const rounds = Number(process.argv[4] ?? 9);
const path = locateModel(source);
const messages = [{ role: /** @type {const} */ ('user'), content: 'Describe a scene with three shapes.' }];

const pipeline = await loadPipeline({
  id: 'model',
  category: 'chat',
  source,
  threads: 1,
  backend: /** @type {any} */ ({ kind: 'transformers' }),
});
// Loaded after the backend, which tells the package to read this disk alone.
const options = toLoadOptions(path, { threads: 1 });
const reference = await AutoModelForCausalLM.from_pretrained(path, options);
const folder = await openModelFolder(path);
const prompt = createTextTokenizer(folder).encode(createChatTemplate(folder).render(messages, []));
const shape = [1, prompt.length];
const inputs = {
  input_ids: new Tensor('int64', BigInt64Array.from(prompt, BigInt), shape),
  attention_mask: new Tensor('int64', new BigInt64Array(prompt.length).fill(1n), shape),
};
const ends = [reference.generation_config?.eos_token_id, /** @type {any} */ (reference.config).eos_token_id];
const logitBias = new Map(
  ends
    .flat()
    .filter((id) => typeof id === 'number')
    .map((id) => [id, -100]),
);

/** @param {Partial<import('../dist/src/categories/chat/request.js').ChatRequestInput>} parameters */
async function ours(parameters) {
  const request = completeChatRequest({
    model: 'model',
    messages,
    maxTokens: tokens,
    logitBias,
    seed: 1,
    ...parameters,
  });
  const used = cpuTimer();
  const start = performance.now();
  for await (const event of pipeline.run(request)) void event;
  return { wall: (performance.now() - start) / tokens, cpu: used() / tokens };
}

/** @param {object} parameters */
async function theirs(parameters) {
  const used = cpuTimer();
  const start = performance.now();
  await reference.generate({ ...inputs, max_new_tokens: tokens, min_new_tokens: tokens, ...parameters });
  return { wall: (performance.now() - start) / tokens, cpu: used() / tokens };
}

const cases = {
  greedy: [
    () => ours({ temperature: 0, repeatPenalty: 1 }),
    () => theirs({ do_sample: false, repetition_penalty: 1 }),
  ],
  sampling: [
    () => ours({ temperature: 0.7, topK: 40, topP: 1, repeatPenalty: 1.1 }),
    () => theirs({ do_sample: true, temperature: 0.7, top_k: 40, repetition_penalty: 1.1 }),
  ],
};

console.log(`${source}, ${tokens} tokens after a prompt of ${prompt.length}, ${machine()}`);
for (const [name, pair] of Object.entries(cases)) {
  /** @type {Record<string, number[]>} */
  const values = { wall: [], cpu: [], ours: [], theirs: [] };
  for (let round = 0; round <= rounds; round++) {
    /** @type {{ wall: number, cpu: number }[]} */
    const results = [];
    for (const index of shuffle([0, 1])) results[index] = await /** @type {any} */ (pair)[index]();
    if (round === 0) continue;
    const [mine, other] = /** @type {[any, any]} */ (results);
    values['wall']?.push(mine.wall / other.wall);
    values['cpu']?.push(mine.cpu / other.cpu);
    values['ours']?.push(mine.wall);
    values['theirs']?.push(other.wall);
  }
  const shown = Object.fromEntries(Object.entries(values).map(([key, all]) => [key, median(all).toFixed(3)]));
  console.log(
    `${name}: ${shown['wall']} × generate() by the clock, ${shown['cpu']} × by processor time (${shown['ours']} and ${shown['theirs']} ms per token)`,
  );
}
await pipeline.close();
await reference.dispose();
