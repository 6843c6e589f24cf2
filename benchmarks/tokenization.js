// Text to ids, beside @huggingface/tokenizers; with the vocabulary of GPT-4 (cl100k) beside gpt-tokenizer too; and beside the
// Rust library through Python where PYTHON names one that has the package `tokenizers`. Processor time, one thread; load time
// and memory in processes of their own.
// Usage: [PYTHON=python3] node benchmarks/tokenization.js [rounds] [tokenizer.json …]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, cpuTimer, machine, median, printRatios } from './measure.js';
import { readCl100k } from './tokenization-cl100k.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const script = fileURLToPath(import.meta.url);
const bundled = join(root, 'examples/models/tiny-chat/tokenizer.json');

/**
 * @typedef {{
 *   toIds: (text: string) => ArrayLike<number>,
 *   encode?: (text: string) => unknown,
 *   forget?: (other: string) => void, // what was kept of a text, the easiest way with another one
 * }} Contender
 */

const own = 'slashv1';
const huggingface = '@huggingface/tokenizers';
const gpt = 'gpt-tokenizer';

/** @type {Record<string, (definition: any) => Promise<Contender>>} */
const makers = {
  async [own](definition) {
    const { createTokenizer } = await import('../dist/src/entries/tokenization.js');
    const tokenizer = createTokenizer({ ...definition, truncation: null, padding: null });
    return {
      toIds: (text) => tokenizer.toIds(text),
      encode: (text) => tokenizer.encode(text),
      forget: (other) => tokenizer.toIds(other),
    };
  },
  async [huggingface](definition) {
    const { Tokenizer } = await import('@huggingface/tokenizers');
    const tokenizer = new Tokenizer(definition, {});
    return { toIds: (text) => tokenizer.encode(text).ids };
  },
  /** Has its vocabulary with it. */
  async [gpt]() {
    const { clearMergeCache, encode } = await import('gpt-tokenizer/encoding/cl100k_base');
    return {
      toIds: (text) => encode(text, { disallowedSpecial: new Set() }),
      forget: clearMergeCache,
    };
  },
};

/** @param {string} path */
const readDefinition = (path) => JSON.parse(readFileSync(path, 'utf8'));

/**
 * In a process of its own: milliseconds to load, and MB that are there after that, and after a long text.
 *
 * @param {string} name
 * @param {string} path
 */
async function measureLoad(name, path) {
  const make = makers[name];
  if (!make || !globalThis.gc) throw new Error('run with --expose-gc');
  if (name !== gpt) (await make(readDefinition(bundled))).toIds('A word.');
  const text = readFileSync(path, 'latin1').slice(0, 1_000_000);
  const used = () => {
    globalThis.gc?.();
    globalThis.gc?.(); // what the first one freed of typed arrays
    const { heapUsed, external } = process.memoryUsage();
    return (heapUsed + external) / 1e6;
  };
  const before = used();
  /** @type {unknown} */
  let definition = readDefinition(path);
  const timer = cpuTimer();
  const tokenizer = await make(definition);
  const loadMs = timer();
  definition = undefined;
  tokenizer.toIds('The first word.');
  const loadedMb = used() - before;
  tokenizer.toIds(text);
  const usedMb = used() - before;
  tokenizer.toIds('And another one.'); // so that it is still there
  console.log(JSON.stringify({ loadMs, loadedMb, usedMb }));
}

/** @param {readonly string[]} names @param {string} path */
function printLoads(names, path) {
  /** @type {Record<string, { loadMs: number, loadedMb: number, usedMb: number }>} */
  const loads = {};
  for (const name of names) {
    const runs = Array.from({ length: 5 }, () =>
      JSON.parse(
        execFileSync(process.execPath, ['--expose-gc', script, '--load', name, path], { encoding: 'utf8' }),
      ),
    );
    const middle = (/** @type {string} */ what) => median(runs.map((run) => run[what]));
    loads[name] = { loadMs: middle('loadMs'), loadedMb: middle('loadedMb'), usedMb: middle('usedMb') };
  }
  const base = loads[huggingface];
  console.table(
    Object.fromEntries(
      Object.entries(loads).map(([name, { loadMs, loadedMb, usedMb }]) => [
        name,
        {
          'load ms': Number(loadMs.toFixed(0)),
          [`× ${huggingface}`]: Number((loadMs / (base?.loadMs ?? NaN)).toFixed(2)),
          'loaded MB': Number(loadedMb.toFixed(2)),
          '× its': Number((loadedMb / (base?.loadedMb ?? NaN)).toFixed(2)),
          'after 1 MB of text, MB': Number(usedMb.toFixed(2)),
          '× its then': Number((usedMb / (base?.usedMb ?? NaN)).toFixed(2)),
        },
      ]),
    ),
  );
}

/** @returns {Record<string, string>} */
function readTexts() {
  const modules = join(root, 'node_modules');
  let prose = '';
  for (const name of readdirSync(modules)) {
    try {
      prose += readFileSync(join(modules, name, 'README.md'), 'utf8');
    } catch {
      // No README.
    }
  }
  const messages = (/** @type {string} */ language) =>
    Object.values(
      readDefinition(join(modules, `typescript/lib/${language}/diagnosticMessages.generated.json`)),
    ).join(' ');
  return {
    prose: prose.slice(0, 1_000_000),
    code: readFileSync(join(modules, 'typescript/lib/typescript.js'), 'utf8').slice(0, 1_000_000),
    Chinese: messages('zh-cn') + messages('zh-tw'),
    '50,000 × a': 'a'.repeat(50_000),
  };
}

const python = `
import json, os, sys, time
os.environ["TOKENIZERS_PARALLELISM"] = "false"
from tokenizers import Tokenizer
tokenizer = Tokenizer.from_file(sys.argv[1])
tokenizer.no_truncation(); tokenizer.no_padding()
text = open(sys.argv[2], encoding="utf-8", newline="").read()
rounds = int(sys.argv[3])
def measure(encode):
    encode()
    times = []
    for _ in range(rounds):
        start = time.process_time(); encode(); times.append(time.process_time() - start)
    return sorted(times)[len(times) // 2]
print(json.dumps([measure(lambda: tokenizer.encode_batch_fast([text])), measure(lambda: tokenizer.encode(text))]))
`;

/** Seconds of the Rust library for ids alone, and for everything. @param {string} path @param {string} text @param {number} rounds */
function measurePython(path, text, rounds) {
  const folder = mkdtempSync(join(tmpdir(), 'tokenization-'));
  try {
    writeFileSync(join(folder, 'text'), text);
    const options = ['-c', python, path, join(folder, 'text'), String(rounds)];
    return JSON.parse(execFileSync(process.env['PYTHON'] ?? '', options, { encoding: 'utf8' }));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * @param {string} path
 * @param {readonly string[]} names
 * @param {number} rounds
 */
async function measureTokenizer(path, names, rounds) {
  printLoads(names, path);
  const definition = readDefinition(path);
  /** It keeps whole words of any length: a text that it had before tells little. */
  const beside = names.includes(gpt) ? [gpt, own] : [];
  /** @type {Record<string, Contender>} */
  const contenders = {};
  for (const name of names) contenders[name] = /** @type {Contender} */ (await makers[name]?.(definition));
  const texts = readTexts();
  for (const [title, text] of Object.entries(texts)) {
    const other = (title === 'code' ? texts['prose'] : texts['code']) ?? '';
    const megabytes = Buffer.byteLength(text) / 1e6;
    /** @param {((text: string) => unknown) | undefined} work @param {() => void} [prepare] */
    const speed = (work, prepare) => () => {
      prepare?.();
      const timer = cpuTimer();
      try {
        work?.(text);
      } catch (error) {
        if (error instanceof RangeError) return 0; // the stack was too small
        throw error;
      }
      return (megabytes / timer()) * 1000;
    };
    const results = await compare(
      {
        ...Object.fromEntries(names.map((name) => [name, speed(contenders[name]?.toIds)])),
        ...Object.fromEntries(
          beside.map((name) => [
            `${name}, a new text`,
            speed(contenders[name]?.toIds, () => contenders[name]?.forget?.(other)),
          ]),
        ),
        [`${own}, with texts and places`]: speed(contenders[own]?.encode),
      },
      rounds,
    );
    if (process.env['PYTHON']) {
      const [ids, all] = measurePython(path, text, rounds);
      results['Rust'] = megabytes / ids;
      results['Rust, with texts and places'] = megabytes / all;
    }
    printRatios(`${title}, ${megabytes.toFixed(2)} MB`, results, {
      unit: 'MB/s',
      baseline: huggingface,
      digits: 2,
    });
    if (names.includes(gpt)) console.log(`${gpt} and ${own}: ${agreement(contenders, text)}`);
  }
}

/** @param {Record<string, Contender>} contenders @param {string} text */
function agreement(contenders, text) {
  const [first, second] = [contenders[gpt]?.toIds(text), contenders[own]?.toIds(text)];
  const same =
    first?.length === second?.length && Array.from(first ?? []).every((id, at) => id === second?.[at]);
  return same ? 'the same ids' : 'different ids';
}

async function measureAll() {
  const rounds = Number(process.argv[2] ?? 5);
  const given = process.argv.slice(3);
  console.log(machine());
  for (const path of given.length > 0 ? given : [bundled]) {
    console.log(`\n${basename(dirname(path))}`);
    await measureTokenizer(path, [huggingface, own], rounds);
  }
  const folder = mkdtempSync(join(tmpdir(), 'cl100k-'));
  try {
    const path = join(folder, 'tokenizer.json');
    writeFileSync(path, JSON.stringify(readCl100k()));
    console.log('\ncl100k');
    await measureTokenizer(path, [huggingface, gpt, own], rounds);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[2] === '--load') await measureLoad(process.argv[3] ?? '', process.argv[4] ?? '');
else await measureAll();
