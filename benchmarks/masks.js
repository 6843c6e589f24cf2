// Milliseconds of masks along real documents under real schemas, and of preparing each schema; beside llguidance where PYTHON
// names an interpreter that has it. One thread each, the same tokens.
// Usage: npm run build && [PYTHON=python3] node benchmarks/masks.js TOKENIZER.json SCHEMAS.jsonl [vocabulary size] [--verbose]
// Each line of the schemas: {"name", "schema", "tests": [{"valid": boolean, "data": …}]}. Beyond the tokenizer's own tokens,
// the vocabulary is filled with pairs of its words.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { jsonSchemaSteps } from '../dist/src/core/grammar/schemas/json-schema.js';
import { compileSteps } from '../dist/src/core/grammar/engine/matcher.js';
import { runSteps } from '../dist/src/core/run-steps.js';
import { createVocabulary } from '../dist/src/core/grammar/engine/vocabulary.js';
import { createTextTokenizer } from '../dist/src/folder/tokenizer.js';
import { machine, median, percentile } from './measure.js';

const [tokenizerFile, schemaFile, ...rest] = process.argv.slice(2);
if (!tokenizerFile || !schemaFile) throw new Error('expected the paths of a tokenizer and of schemas');
const isVerbose = rest.includes('--verbose');

const tokenizer = createTextTokenizer({
  tokenizer: JSON.parse(readFileSync(tokenizerFile, 'utf8')),
  tokenizerConfig: {},
});
const own = tokenizer.vocabularySize;
const size = Number(rest.find((word) => /^\d+$/.test(word)) ?? own);
const endToken = 0;
/** Each time is the least of so many, each with a new grammar: another program may have had the processor. */
const rounds = 3;
const tokens = Array.from({ length: own }, (_, token) =>
  token === endToken || tokenizer.isSpecial(token) ? new Uint8Array() : tokenizer.bytesOf(token),
);
const words = tokens.filter(
  (bytes) => bytes.length > 2 && bytes.every((byte) => (byte | 0x20) > 0x60 && byte < 0x7b),
);
for (let token = own; token < size; token++) {
  const [first, second] = [words[token % words.length], words[(token * 7919) % words.length]];
  tokens.push(Buffer.concat([/** @type {Uint8Array} */ (first), /** @type {Uint8Array} */ (second)]));
}

/** A value with its members in the order in which a schema mentions them. */
function ordered(/** @type {unknown} */ schema, /** @type {unknown} */ data) {
  /** @type {Map<string, number>} */
  const order = new Map();
  JSON.stringify(schema, (key, value) => {
    if (key === 'properties' && typeof value === 'object' && value !== null)
      for (const name of Object.keys(value)) if (!order.has(name)) order.set(name, order.size);
    return value;
  });
  return JSON.stringify(data, (_, value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).sort(([a], [b]) => (order.get(a) ?? Infinity) - (order.get(b) ?? Infinity)),
        )
      : value,
  );
}

/** @type {{ name: string, schema: unknown, documents: number[][] }[]} */
const cases = readFileSync(schemaFile, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line))
  .map(({ name, schema, tests }) => ({
    name,
    schema,
    documents: tests
      .filter((/** @type {{ valid: boolean }} */ { valid }) => valid)
      .map((/** @type {{ data: unknown }} */ { data }) => [
        ...tokenizer.encode(ordered(schema, data)),
        endToken,
      ]),
  }));

function measureOwn() {
  const start = performance.now();
  const vocabulary = createVocabulary({
    size,
    endTokens: new Set([endToken]),
    bytesOf: (token) => /** @type {Uint8Array} */ (tokens[token]),
  });
  const indexed = performance.now() - start;
  const measureCase = (/** @type {{ schema: unknown, documents: number[][] }} */ { schema, documents }) => {
    const begun = performance.now();
    let grammar;
    try {
      grammar = runSteps(compileSteps(runSteps(jsonSchemaSteps(schema)), vocabulary));
    } catch {
      return null;
    }
    const compile = performance.now() - begun;
    const masks = documents.map((document) => {
      const matcher = grammar.createMatcher();
      const times = [];
      for (const token of document) {
        const before = performance.now();
        const mask = matcher.mask();
        times.push(performance.now() - before);
        if (!(((mask[token >>> 5] ?? 0) >>> (token & 31)) & 1)) return null;
        matcher.accept(token);
      }
      return times;
    });
    return { compile, masks };
  };
  return { indexed, rounds: Array.from({ length: rounds }, () => cases.map(measureCase)) };
}

function measureOther(/** @type {string} */ python) {
  const folder = mkdtempSync(join(tmpdir(), 'masks-'));
  try {
    const input = join(folder, 'input.json');
    const texts = tokens.map((bytes) => Buffer.from(bytes).toString('base64'));
    writeFileSync(input, JSON.stringify({ endToken, rounds, tokens: texts, cases }));
    const script = fileURLToPath(new URL('masks-llguidance.py', import.meta.url));
    return JSON.parse(execFileSync(python, [script, input], { encoding: 'utf8', maxBuffer: 2 ** 30 }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @typedef {null | { compile: number, masks: (null | number[])[] }} Result */

/** The least times of all rounds. */
function leastOf(/** @type {{ indexed: number, rounds: Result[][] }} */ { indexed, rounds: all }) {
  const [first = [], ...others] = all;
  for (const [index, result] of first.entries()) {
    for (const other of others.map((round) => round[index])) {
      if (!result || !other) continue;
      result.compile = Math.min(result.compile, other.compile);
      for (const [document, times] of result.masks.entries())
        times?.forEach((time, position) => {
          times[position] = Math.min(time, other.masks[document]?.[position] ?? time);
        });
    }
  }
  return { indexed, results: first };
}

/** @typedef {{ indexed: number, results: Result[] }} Measured */
/** @type {Record<string, Measured>} */
const measured = {};
const ours = leastOf(measureOwn());
measured['slashv1'] = ours;
const python = process.env['PYTHON'];
if (python) measured['llguidance'] = leastOf(measureOther(python));

const all = Object.values(measured);
const shared = cases.flatMap((entry, index) =>
  entry.documents.flatMap((_, document) =>
    all.every(({ results }) => results[index]?.masks[document]) ? [{ index, document }] : [],
  ),
);
for (const [name, { results }] of Object.entries(measured)) {
  const followed = results.flatMap((result) => result?.masks ?? []).filter(Boolean);
  console.log(`${name} allows ${followed.length} of ${cases.flatMap(({ documents }) => documents).length}`);
}
console.log(`${machine()}, vocabulary ${size}, ${shared.length} documents that all allow`);
/** @type {Record<string, object>} */
const rows = {};
for (const [name, { indexed, results }] of Object.entries(measured)) {
  const masks = shared.flatMap(({ index, document }) => results[index]?.masks[document] ?? []);
  const compiles = [...new Set(shared.map(({ index }) => index))].map(
    (index) => results[index]?.compile ?? 0,
  );
  const row = (/** @type {number[]} */ times) => ({
    p50: median(times),
    mean: times.reduce((sum, time) => sum + time, 0) / times.length,
    p99: percentile(times, 0.99),
    worst: times.reduce((most, time) => Math.max(most, time), 0),
    'over 1 ms': times.filter((time) => time > 1).length,
    count: times.length,
  });
  rows[`${name}: mask`] = row(masks);
  rows[`${name}: prepare a schema`] = row(compiles);
  console.log(
    `${name}: ${results.filter((result) => !result).length} of ${cases.length} schemas refused, vocabulary indexed in ${indexed.toFixed(0)} ms`,
  );
}
console.table(
  Object.fromEntries(
    Object.entries(rows).map(([name, row]) => [
      name,
      Object.fromEntries(Object.entries(row).map(([key, value]) => [key, Number(value.toFixed(4))])),
    ]),
  ),
);
if (isVerbose) {
  const slow = ours.results.flatMap((result, index) =>
    (result?.masks ?? []).flatMap((times, document) =>
      (times ?? []).map((time, position) => ({ time, name: cases[index]?.name, document, position, index })),
    ),
  );
  for (const { time, name, document, position, index } of slow.sort((a, b) => b.time - a.time).slice(0, 25)) {
    const ids = cases[index]?.documents[document]?.slice(0, position) ?? [];
    console.log(`${time.toFixed(2)} ms ${name} after ${JSON.stringify(tokenizer.decode(ids).slice(-60))}`);
  }
}
