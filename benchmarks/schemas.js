// What share of real JSON schemas is honored, and whether a grammar tells their valid documents from the others.
// Usage: npm run build && node benchmarks/schemas.js FILE.jsonl [--verbose] [completions]
// With a number, so many random texts are written under the schemas by turns, and validated by @cfworker/json-schema.
// Each line of the file: {"name", "schema", "tests": [{"valid": boolean, "data": …}]}
import { readFileSync } from 'node:fs';
import { Validator } from '@cfworker/json-schema';
import { jsonSchemaSteps } from '../dist/src/core/grammar/schemas/json-schema.js';
import { compileSteps } from '../dist/src/core/grammar/engine/matcher.js';
import { runSteps } from '../dist/src/core/run-steps.js';
import { createVocabulary } from '../dist/src/core/grammar/engine/vocabulary.js';
import { createRng } from '../dist/src/entries/sampling.js';
import { median, percentile } from './measure.js';

/** @typedef {{ valid: boolean, data: unknown }} Sample */
/** @typedef {{ name: string, schema: unknown, tests: Sample[] }} Case */

const [file, ...flags] = process.argv.slice(2);
if (!file) throw new Error('expected the path of a file');
const isVerbose = flags.includes('--verbose');
const utf8 = new TextEncoder();
const endToken = 256;
const vocabulary = createVocabulary({
  size: 257,
  endTokens: new Set([endToken]),
  bytesOf: (token) => (token < 256 ? Uint8Array.of(token) : new Uint8Array()),
});
/** Orders of properties that are tried for one document. */
const maxOrders = 3000;

/** Names in the order in which a schema mentions them, which is the order in which they are written. */
function namesOf(/** @type {unknown} */ schema) {
  /** @type {Map<string, number>} */
  const order = new Map();
  JSON.stringify(schema, (key, value) => {
    const isMap = key === 'properties' && typeof value === 'object' && value !== null;
    const names = isMap ? Object.keys(value) : key === 'required' && Array.isArray(value) ? value : [];
    for (const name of names) if (!order.has(name)) order.set(name, order.size);
    return value;
  });
  return order;
}

/** Whether a grammar allows a document in some order of its properties: the order itself is no matter of the schema. */
function accepts(
  /** @type {import('../dist/src/core/grammar/engine/matcher.js').CompiledGrammar} */ grammar,
  /** @type {unknown} */ data,
  /** @type {Map<string, number>} */ order,
) {
  let tried = 0;
  /** @type {number[]} */
  const written = [];
  const write = (/** @type {string} */ text) => {
    const matcher = grammar.createMatcher();
    for (const byte of written) matcher.accept(byte);
    for (const byte of utf8.encode(text)) {
      try {
        matcher.accept(byte);
      } catch {
        return false;
      }
    }
    written.push(...utf8.encode(text));
    return true;
  };
  const attempt = (/** @type {() => boolean} */ run) => {
    const { length } = written;
    if (++tried <= maxOrders && run()) return true;
    written.length = length;
    return false;
  };
  /** @type {(value: unknown, then: () => boolean) => boolean} */
  const writeValue = (value, then) => {
    if (typeof value !== 'object' || value === null)
      return attempt(() => write(JSON.stringify(value)) && then());
    if (Array.isArray(value)) {
      /** @type {(index: number) => boolean} */
      const item = (index) =>
        index === value.length
          ? attempt(() => write(']') && then())
          : attempt(() => (index === 0 || write(',')) && writeValue(value[index], () => item(index + 1)));
      return attempt(() => write('[') && item(0));
    }
    const entries = Object.entries(value).sort(([a], [b]) => (order.get(a) ?? 1e9) - (order.get(b) ?? 1e9));
    /** @type {(rest: [string, unknown][]) => boolean} */
    const property = (rest) => {
      if (rest.length === 0) return attempt(() => write('}') && then());
      return rest.some(([key, inner], index) =>
        attempt(
          () =>
            write(`${rest.length === entries.length ? '' : ','}${JSON.stringify(key)}:`) &&
            writeValue(inner, () => property(rest.toSpliced(index, 1))),
        ),
      );
    };
    return attempt(() => write('{') && property(entries));
  };
  return writeValue(data, () => {
    const matcher = grammar.createMatcher();
    for (const byte of written) matcher.accept(byte);
    return matcher.mayEnd;
  });
}

/** @type {Case[]} */
const cases = readFileSync(file, 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line));
const counts = { refused: 0, 'wrong accepts': 0, 'wrong rejects': 0, valid: 0, invalid: 0 };
const times = [];
/** @type {Map<string, import('../dist/src/core/grammar/engine/matcher.js').CompiledGrammar>} */
const grammars = new Map();
for (const { name, schema, tests } of cases) {
  let grammar;
  const start = performance.now();
  try {
    grammar = runSteps(compileSteps(runSteps(jsonSchemaSteps(schema)), vocabulary));
  } catch (error) {
    counts.refused++;
    if (isVerbose) console.log(`refused   ${name}: ${/** @type {Error} */ (error).message.slice(0, 200)}`);
    continue;
  }
  times.push(performance.now() - start);
  grammars.set(name, grammar);
  const order = namesOf(schema);
  for (const { valid, data } of tests) {
    const isAccepted = accepts(grammar, data, order);
    counts[valid ? 'valid' : 'invalid']++;
    if (isAccepted === valid) continue;
    counts[valid ? 'wrong rejects' : 'wrong accepts']++;
    if (isVerbose)
      console.log(`${valid ? 'rejected ' : 'ACCEPTED '} ${name}: ${JSON.stringify(data).slice(0, 300)}`);
  }
}

/** A text of random tokens, brought to its end after some. */
function randomText(
  /** @type {import('../dist/src/core/grammar/engine/matcher.js').CompiledGrammar} */ grammar,
  /** @type {import('../dist/src/entries/sampling.js').Rng} */ rng,
) {
  const matcher = grammar.createMatcher();
  const bytes = [];
  for (let room = 1 + Math.floor(200 * rng.next()); room > 0; room--) {
    const mask = matcher.mask();
    const allowed = Array.from({ length: 257 }, (_, token) => token).filter(
      (token) => ((mask[token >>> 5] ?? 0) >>> (token & 31)) & 1,
    );
    const token = allowed[Math.floor(rng.next() * allowed.length)] ?? endToken;
    if (token === endToken) return Buffer.from(bytes).toString();
    matcher.accept(token);
    bytes.push(token);
  }
  const ending = matcher.ending();
  return ending && Buffer.from([...bytes, ...ending]).toString();
}

const drafts = /** @type {const} */ ({ 'draft-04': '4', 'draft-07': '7', '2019-09': '2019-09' });
const completions = Number(flags.find((flag) => /^\d+$/.test(flag)) ?? 0);
const written = { valid: 0, invalid: 0, 'without a known end': 0, 'not judged': 0 };
const rng = createRng(1);
for (let turn = 0; turn < completions; turn++) {
  const { name, schema } = /** @type {Case} */ (cases[turn % cases.length]);
  const grammar = grammars.get(name);
  if (!grammar) continue;
  const text = randomText(grammar, rng);
  if (text === undefined) {
    written['without a known end']++;
    continue;
  }
  const { $schema = '' } = /** @type {{ $schema?: string }} */ (schema);
  const draft = Object.entries(drafts).find(([key]) => $schema.includes(key))?.[1] ?? '2020-12';
  let verdict;
  try {
    verdict = new Validator(/** @type {object} */ (schema), draft).validate(JSON.parse(text));
  } catch {
    written['not judged']++;
    continue;
  }
  const { valid, errors } = verdict;
  written[valid ? 'valid' : 'invalid']++;
  if (!valid && isVerbose)
    console.log(`INVALID   ${name}: ${text.slice(0, 300)} ${JSON.stringify(errors.at(-1))}`);
}
if (completions > 0) console.table(written);
console.log(`${cases.length} schemas, ${((100 * counts.refused) / cases.length).toFixed(1)} % refused`);
console.table(counts);
console.log(
  `compile ms: median ${median(times).toFixed(2)}, p99 ${percentile(times, 0.99).toFixed(1)}, most ${Math.max(...times).toFixed(1)}`,
);
