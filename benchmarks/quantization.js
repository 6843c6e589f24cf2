// What activations of 8 bits cost and save in products with 4-bit weights: perplexity on this repository's pages, facts copied
// into JSON, calls of tools, and processor time (of all threads) of prompts and tokens, beside the graph's own float32.
// Usage: SLASHV1_REAL_MODELS=FOLDER node benchmarks/quantization.js [--model smollm2-q4] [--tokens 4096] [--rounds 5] [--threads 2]
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chat, createInference } from '../dist/src/index.js';
import { loadDecoder } from '../dist/src/backends/onnx/chat/load-decoder.js';
import { locateDecoder, openModelFolder } from '../dist/src/folder/model-folder.js';
import { createTextTokenizer } from '../dist/src/folder/tokenizer.js';
import { compare, cpuTimer, machine, printRatios } from './measure.js';
import { facts, factsSchema } from '../test/real/facts.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'smollm2-q4' },
    tokens: { type: 'string', default: '4096' },
    rounds: { type: 'string', default: '5' },
    threads: { type: 'string', default: '2' },
  },
});
const threads = Number(values.threads);
const source = join(process.env['SLASHV1_REAL_MODELS'] ?? '.', values.model);
const ways = { 'float32 activations': false, '8-bit activations': true };
const baseline = 'float32 activations';

const folder = await openModelFolder(source);
const pages = readdirSync('docs/guides')
  .filter((name) => name.endsWith('.md'))
  .map((name) => readFileSync(join('docs/guides', name), 'utf8'));
const text = Int32Array.from(createTextTokenizer(folder).encode(pages.join('\n\n'))).subarray(
  0,
  Number(values.tokens),
);

/** @type {Record<string, import('../dist/src/contracts/decoder.js').Decoder>} */
const decoders = {};
for (const [name, int8Activations] of Object.entries(ways))
  decoders[name] = await loadDecoder(locateDecoder(source), { threads, int8Activations });

const windowTokens = 512;
const pieceTokens = 64;

/**
 * @param {import('../dist/src/contracts/decoder.js').Decoder} decoder
 * @returns {Promise<{ loss: number, best: number }[]>} of each token that has one before it in its window
 */
async function lossesOf(decoder) {
  const { vocabularySize } = decoder;
  /** @type {{ loss: number, best: number }[]} */
  const steps = [];
  for (let start = 0; start + windowTokens <= text.length; start += windowTokens) {
    const cache = decoder.createCache();
    for (let at = 0; at < windowTokens; at += pieceTokens) {
      await decoder.verify?.(cache, text.subarray(start + at, start + at + pieceTokens), (logits) => {
        for (let row = 0; row < pieceTokens && at + row + 1 < windowTokens; row++) {
          const own = logits.subarray(row * vocabularySize, (row + 1) * vocabularySize);
          let best = 0;
          for (const [token, logit] of own.entries()) if (logit > (own[best] ?? 0)) best = token;
          const most = own[best] ?? 0;
          const mass = own.reduce((sum, logit) => sum + Math.exp(logit - most), 0);
          const next = own[text[start + at + row + 1] ?? 0] ?? 0;
          steps.push({ loss: most + Math.log(mass) - next, best });
        }
        return pieceTokens;
      });
    }
    cache.release();
  }
  return steps;
}

/** @type {Record<string, { loss: number, best: number }[]>} */
const losses = {};
for (const [name, decoder] of Object.entries(decoders)) losses[name] = await lossesOf(decoder);
const perplexities = Object.entries(losses).map(([name, steps]) => [
  name,
  Math.exp(steps.reduce((sum, { loss }) => sum + loss, 0) / steps.length),
]);
const [own = [], rounded = []] = Object.values(losses);
const same = own.filter(({ best }, at) => best === rounded[at]?.best).length;
printRatios(
  `perplexity of ${own.length} tokens; the likeliest token is the same in ${((100 * same) / own.length).toFixed(1)} %`,
  Object.fromEntries(perplexities),
  { unit: 'perplexity', baseline },
);

/**
 * @param {string} title
 * @param {(decoder: import('../dist/src/contracts/decoder.js').Decoder) => Promise<number>} measure
 */
async function compareTimes(title, measure) {
  const contenders = Object.fromEntries(
    Object.entries(decoders).map(([name, decoder]) => [name, () => measure(decoder)]),
  );
  printRatios(
    `${title}, ${threads} threads, ${machine()}`,
    await compare(contenders, Number(values.rounds)),
    {
      unit: 'CPU ms per token',
      baseline,
    },
  );
}

await compareTimes('reading 512 tokens', async (decoder) => {
  const cache = decoder.createCache();
  const used = cpuTimer();
  for (const start of [0, 256]) await decoder.forward(cache, text.subarray(start, start + 256), 256);
  const time = used() / 512;
  cache.release();
  return time;
});
for (const context of [128, 1024]) {
  await compareTimes(`a token after ${context}`, async (decoder) => {
    const cache = decoder.createCache();
    await decoder.forward(cache, text.subarray(0, context), context);
    const used = cpuTimer();
    for (let at = context; at < context + 24; at++)
      await decoder.forward(cache, text.subarray(at, at + 1), 1);
    const time = used() / 24;
    cache.release();
    return time;
  });
}
for (const decoder of Object.values(decoders)) await decoder.release();

const schema = { ...factsSchema, additionalProperties: false };
const { name: _name, ...others } = schema.properties;
/** Small models take a property `name` for the name of the tool. */
const person = {
  ...schema,
  properties: { person: schema.properties.name, ...others },
  required: ['person', 'age', 'city'],
};
const greedy = /** @type {const} */ ({ temperature: 0, repeatPenalty: 1, maxTokens: 60 });
for (const [name, int8Activations] of Object.entries(ways)) {
  const model = chat({ source, threads, contextLength: 2048, int8Activations });
  const inference = createInference({ models: { model } });
  /** @param {any} request */
  const answer = async (request) => {
    let json = '';
    for await (const event of inference.chat({ model: 'model', ...greedy, ...request })) {
      if (event.type === 'text-delta') json += event.text;
      if (event.type === 'tool-call-delta') json += event.arguments;
    }
    try {
      return JSON.parse(json);
    } catch {
      return {};
    }
  };
  /** @param {any} value @param {readonly [string, number, string]} fact */
  const isRight = (value, [who, age, city]) => value.name === who && value.age === age && value.city === city;
  const right = { copied: 0, called: 0 };
  for (const fact of facts) {
    const [who, age, city] = fact;
    const told = `${who} is ${age} years old and lives in ${city}.`;
    const asked = (/** @type {string} */ task) => [{ role: 'user', content: `${told} ${task}` }];
    const copied = await answer({
      messages: asked('Give the data as JSON with name, age, city.'),
      responseFormat: { type: 'json-schema', schema },
    });
    if (isRight(copied, fact)) right.copied++;
    const called = await answer({
      messages: asked('Store it.'),
      tools: [{ name: 'store', description: 'Stores what is known about a person.', parameters: person }],
      toolChoice: { name: 'store' },
      parallelToolCalls: false,
    });
    if (isRight({ ...called, name: called.person }, fact)) right.called++;
  }
  console.log(
    `\n${name}: of ${facts.length} facts ${right.copied} copied into JSON, ${right.called} into a call`,
  );
  await inference.close();
}
