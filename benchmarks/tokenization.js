// Text to ids, beside @huggingface/tokenizers, and beside the Rust library through Python where PYTHON names one that has
// the package `tokenizers`. Processor time, one thread; load time and memory in processes of their own.
// Usage: [PYTHON=python3] node benchmarks/tokenization.js [rounds] [tokenizer.json …]
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compare, cpuTimer, machine, printRatios } from './measure.js';

const root = fileURLToPath(new URL('..', import.meta.url));
const script = fileURLToPath(import.meta.url);

/** @typedef {{ toIds: (text: string) => unknown, encode?: (text: string) => unknown }} Contender */

/** @type {Record<string, (definition: any) => Promise<Contender>>} */
const makers = {
  async slashv1(definition) {
    const { createTokenizer } = await import('../dist/src/entries/tokenization.js');
    const tokenizer = createTokenizer({ ...definition, truncation: null, padding: null });
    return { toIds: (text) => tokenizer.toIds(text), encode: (text) => tokenizer.encode(text) };
  },
  async '@huggingface/tokenizers'(definition) {
    const { Tokenizer } = await import('@huggingface/tokenizers');
    const tokenizer = new Tokenizer(definition, {});
    return { toIds: (text) => tokenizer.encode(text).ids };
  },
};

/** @param {string} path */
const readDefinition = (path) => JSON.parse(readFileSync(path, 'utf8'));

/** In a process of its own: milliseconds to load, and MB that are there afterwards. @param {string} name @param {string} path */
async function measureLoad(name, path) {
  const make = makers[name];
  if (!make || !globalThis.gc) throw new Error('run with --expose-gc');
  await make(readDefinition(join(root, 'examples/models/tiny-chat/tokenizer.json')));
  const used = () => {
    globalThis.gc?.();
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
  const keptMb = used() - before;
  tokenizer.toIds('And another one.'); // so that it is still there
  console.log(JSON.stringify({ loadMs, keptMb }));
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

async function measureAll() {
  const rounds = Number(process.argv[2] ?? 5);
  const bundled = join(root, 'examples/models/tiny-chat/tokenizer.json');
  const paths = process.argv.length > 3 ? process.argv.slice(3) : [bundled];
  const texts = readTexts();
  console.log(machine());
  for (const path of paths) {
    for (const name of Object.keys(makers)) {
      const output = execFileSync(process.execPath, ['--expose-gc', script, '--load', name, path], {
        encoding: 'utf8',
      });
      const { loadMs, keptMb } = JSON.parse(output);
      console.log(`${path}: ${name} loads in ${loadMs.toFixed(0)} ms and keeps ${keptMb.toFixed(1)} MB`);
    }
    const own = await makers['slashv1']?.(readDefinition(path));
    const theirs = await makers['@huggingface/tokenizers']?.(readDefinition(path));
    for (const [title, text] of Object.entries(texts)) {
      const megabytes = Buffer.byteLength(text) / 1e6;
      /** @param {((text: string) => unknown) | undefined} work */
      const speed = (work) => () => {
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
          '@huggingface/tokenizers': speed(theirs?.toIds),
          'slashv1, ids': speed(own?.toIds),
          'slashv1, all': speed(own?.encode),
        },
        rounds,
      );
      if (process.env['PYTHON']) {
        const [ids, all] = measurePython(path, text, rounds);
        results['Rust, ids'] = megabytes / ids;
        results['Rust, all'] = megabytes / all;
      }
      printRatios(`${title}, ${megabytes.toFixed(2)} MB`, results, {
        unit: 'MB/s',
        baseline: '@huggingface/tokenizers',
        digits: 2,
      });
    }
  }
}

if (process.argv[2] === '--load') await measureLoad(process.argv[3] ?? '', process.argv[4] ?? '');
else await measureAll();
