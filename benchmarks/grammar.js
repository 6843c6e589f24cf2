// What a grammar costs per token at a vocabulary of 151,936, beside the sampler chain and a decode step.
// Usage: npm run build && node benchmarks/grammar.js [milliseconds of a decode step]
import { jsonSchemaSteps } from '../dist/src/core/grammar/schemas/json-schema.js';
import { anyObject } from '../dist/src/core/grammar/schemas/notation.js';
import { compileSteps } from '../dist/src/core/grammar/engine/matcher.js';
import { runSteps } from '../dist/src/core/run-steps.js';
import { createVocabulary } from '../dist/src/core/grammar/engine/vocabulary.js';
import { createRng, createSampler } from '../dist/src/entries/sampling.js';
import { machine, median, percentile } from './measure.js';

const vocabularySize = 151_936;
const endToken = vocabularySize - 1;
const tokensPerCase = 600;
/** A model of half a billion parameters on two cores, the least that comes with such a vocabulary. */
const decodeMilliseconds = Number(process.argv[2] ?? 25);
const rng = createRng(1);

/** @param {number} below */
const draw = (below) => Math.floor(rng.next() * below);

/** All bytes, pieces of JSON, numbers, and words in two scripts, half of them after a space. */
function createTokens() {
  const pieces = [
    '": ',
    '", "',
    '"}',
    '{"',
    '":"',
    '"]',
    '["',
    '}}',
    '"},',
    ',"',
    '\\"',
    '\\n',
    '\\u',
    '":',
    '",',
  ];
  const texts = new Set(pieces);
  for (let number = 0; number < 1000; number++) texts.add(String(number));
  const syllables = 'ka lo mi re tu ben dra fil gor hun jel kim nor pas qui ros sta ver win zum'.split(' ');
  while (texts.size < vocabularySize - 257) {
    const isWestern = rng.next() < 0.8;
    let word = isWestern && rng.next() < 0.6 ? ' ' : '';
    for (let rest = 1 + draw(5); rest > 0; rest--) {
      word += isWestern ? syllables[draw(syllables.length)] : String.fromCodePoint(0x4e00 + draw(5000));
    }
    if (rng.next() < 0.04) word += pieces[draw(pieces.length)];
    texts.add(word);
  }
  const utf8 = new TextEncoder();
  const bytes = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte));
  return [...bytes, ...Array.from(texts, (text) => utf8.encode(text))];
}

const person = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    age: { type: 'integer', minimum: 0, maximum: 150 },
    tags: { type: 'array', items: { type: 'string', maxLength: 40 } },
  },
  required: ['name', 'age', 'tags'],
};

/** @param {object} schema */
const jsonSchemaGrammar = (schema) => runSteps(jsonSchemaSteps(schema));

/** @type {Record<string, () => import('../dist/src/core/grammar/languages/expression.js').Expression>} */
const grammars = {
  'any object': () => anyObject,
  'a person': () => jsonSchemaGrammar(person),
  'maxLength 100': () => jsonSchemaGrammar({ type: 'string', maxLength: 100 }),
  'maxLength 10,000': () => jsonSchemaGrammar({ type: 'string', maxLength: 10_000 }),
  'enum of 10,000': () =>
    jsonSchemaGrammar({ enum: Array.from({ length: 10_000 }, (_, index) => `value ${index}`) }),
  'format email': () => jsonSchemaGrammar({ type: 'string', format: 'email' }),
  'pattern ^.{1,200}$': () => jsonSchemaGrammar({ type: 'string', pattern: '^.{1,200}$' }),
  'text until a call': () => ({ type: 'free-text', markers: ['<tool_call>'], isClosed: false, after: '' }),
};

const tokens = createTokens();
let start = performance.now();
const vocabulary = createVocabulary({
  size: vocabularySize,
  endTokens: new Set([endToken]),
  bytesOf: (token) => tokens[token] ?? new Uint8Array(),
});
console.log(
  `${machine()}, vocabulary ${vocabularySize}, indexed once in ${(performance.now() - start).toFixed(0)} ms`,
);

const logits = Array.from({ length: 8 }, () =>
  Float32Array.from({ length: vocabularySize }, () => 6 * rng.next()),
);
const parameters = { temperature: 1, topK: 40, topP: 0.95 };

const free = createSampler(parameters, { vocabularySize, seed: 1 });
const freeTimes = Array.from({ length: tokensPerCase }, (_, index) => {
  start = performance.now();
  free.sample(/** @type {Float32Array} */ (logits[index % logits.length]));
  return performance.now() - start;
});

/** @type {Record<string, object>} */
const rows = {};
for (const [name, create] of Object.entries(grammars)) {
  start = performance.now();
  const grammar = runSteps(compileSteps(create(), vocabulary));
  const compiled = performance.now() - start;
  const sampler = createSampler(parameters, { vocabularySize, seed: 1 });
  let matcher = grammar.createMatcher();
  const maskTimes = [];
  const sampleTimes = [];
  for (let index = 0; index < tokensPerCase; index++) {
    start = performance.now();
    const mask = matcher.mask();
    const masked = performance.now();
    const token = sampler.sample(/** @type {Float32Array} */ (logits[index % logits.length]), mask);
    const sampled = performance.now();
    if (token === endToken) matcher = grammar.createMatcher();
    else matcher.accept(token);
    maskTimes.push(masked - start + performance.now() - sampled);
    sampleTimes.push(sampled - masked);
  }
  const mean = maskTimes.reduce((sum, time) => sum + time) / maskTimes.length;
  const extra = mean + median(sampleTimes) - median(freeTimes);
  rows[name] = {
    'compile ms': Number(compiled.toFixed(1)),
    'mask µs median': Math.round(1000 * median(maskTimes)),
    p99: Math.round(1000 * percentile(maskTimes, 0.99)),
    mean: Math.round(1000 * mean),
    'sampler µs, masked': Math.round(1000 * median(sampleTimes)),
    'of a decode step': `${((100 * extra) / decodeMilliseconds).toFixed(1)} %`,
  };
}
console.log(
  `sampler without a mask: ${Math.round(1000 * median(freeTimes))} µs; a decode step: ${decodeMilliseconds} ms`,
);
console.table(rows);
