// Decoding of one model by all peers, side by side. Every round runs each of them once, in another order, in a fresh
// process. Usage: node benchmarks/peers/compare.js [options]; benchmarks/peers/README.md explains them.
import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { cpus } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs, promisify } from 'node:util';
import { machine, median, shuffle } from '../measure.js';

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, '../models/cache');
const { values: options } = parseArgs({
  options: {
    shape: { type: 'string', default: 'smollm2-135m' },
    models: { type: 'string', default: cache },
    python: { type: 'string', default: join(cache, 'environments/genai/bin/python') },
    'node-modules': { type: 'string' },
    peers: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    output: { type: 'string' },
    device: { type: 'string', default: 'cpu' },
    threads: { type: 'string', default: '2' },
    contexts: { type: 'string', default: '128,1024,2000' },
    streams: { type: 'string', default: '1,4,8' },
    tokens: { type: 'string', default: '32' },
    repetitions: { type: 'string', default: '3' },
    'spinning-off': { type: 'boolean', default: false },
  },
});

/** The library of onnxruntime-node, so that all who compute with onnxruntime compute with the same one. */
function findRuntime() {
  const folder = dirname(createRequire(import.meta.url).resolve('onnxruntime-node/package.json'));
  const file = { linux: 'libonnxruntime.so.1', darwin: 'libonnxruntime.dylib', win32: 'onnxruntime.dll' };
  const name = /** @type {Record<string, string>} */ (file)[process.platform] ?? '';
  return join(folder, 'bin/napi-v6', process.platform, process.arch, name);
}

const { shape, models } = options;
const node = process.execPath;
const hub = join(models, `${shape}-q4`);
const builder = join(models, `${shape}-gqa-int4`);
const nodeModules = options['node-modules'] ? ['--node-modules', options['node-modules']] : [];
const genai = ['onnxruntime-genai.py', '--model', builder];
// The wheel for CUDA has a runtime of its own.
const runtime = options.device.startsWith('cuda') ? [] : ['--runtime', findRuntime()];
const noSpinning = options['spinning-off'] ? ['--spinning', 'off'] : [];
/** @type {Record<string, string[]>} */
const commands = {
  'onnxruntime-genai': [options.python, ...genai, ...runtime, ...noSpinning],
  'slashv1 gqa-int4': [node, 'slashv1.js', '--model', builder],
  'slashv1 q4': [node, 'slashv1.js', '--model', hub],
  'llama.cpp': [node, 'llama-cpp.js', '--model', join(models, `${shape}.gguf`), ...nodeModules],
  'transformers.js': [node, 'transformers-js.js', '--model', hub, ...noSpinning],
};
const shared = ['device', 'threads', 'contexts', 'streams', 'tokens', 'repetitions'].flatMap((name) => [
  `--${name}`,
  String(options[/** @type {keyof typeof options} */ (name)]),
]);

const about = {
  shape,
  machine: machine(),
  processor: cpus()[0]?.model,
  date: new Date().toISOString(),
  options,
};

const names = options.peers?.split(',') ?? Object.keys(commands);
/** @type {Record<string, any[]>} name → results of the rounds */
const results = Object.fromEntries(names.map((name) => [name, []]));
/** @type {Set<string>} */
const failed = new Set();
for (let round = 0; round < Number(options.rounds); round++) {
  for (const name of shuffle(names.filter((one) => !failed.has(one)))) {
    const [program = '', file = '', ...rest] = commands[name] ?? [];
    if (file === '') throw new Error(`--peers: expected ${Object.keys(commands).join(', ')}, got ${name}`);
    try {
      if (!existsSync(program)) throw new Error(`${program} is missing: run benchmarks/models/build.py`);
      const run = promisify(execFile)(program, [join(here, file), ...rest, ...shared], {
        maxBuffer: 2 ** 26,
      });
      const line = (await run).stdout.trim().split('\n').at(-1) ?? '';
      results[name]?.push(JSON.parse(line));
      console.error(`round ${round + 1}: ${name}`);
    } catch (error) {
      failed.add(name);
      delete results[name];
      const text = String(/** @type {any} */ (error).stderr || error);
      console.error(`${name} is left out: ${/^.*Error: .*$/m.exec(text)?.[0] ?? text}`);
    }
  }
  if (options.output) writeFileSync(options.output, `${JSON.stringify({ ...about, results })}\n`);
}

console.log(
  `\n${shape} on ${options.device}, ${options.threads} threads, ${about.processor}, ${about.machine}`,
);
for (const name of Object.keys(results)) console.log(`${name}: ${results[name]?.[0].version}`);
/** @param {string} list */
const numbers = (list) => list.split(',').filter(Boolean).map(Number);
for (const [index, context] of numbers(options.contexts).entries()) {
  show(`ms per token, context ${context}`, (result) => result.contexts[index].tokenMs);
  show(`CPU ms per token, context ${context}`, (result) => result.contexts[index].tokenCpuMs);
  show(`ms to the first token, context ${context}`, (result) => result.contexts[index].firstTokenMs);
}
for (const [index, streams] of numbers(options.streams).entries()) {
  show(`tokens/s, streams: ${streams}`, (result) => result.streams[index].tokensPerSecond);
  show(`CPU ms per token, streams: ${streams}`, (result) => result.streams[index].tokenCpuMs);
}
show('CPU s to load', (result) => [result.load.cpuSeconds]);
show('peak MB after loading', (result) => [result.load.peakMegabytes]);
show('peak MB', (result) => [result.peakMegabytes]);
show('processors busy', (result) => [result.busyProcessors]);

/**
 * @param {string} title
 * @param {(result: any) => number[]} samplesOf
 */
function show(title, samplesOf) {
  const samples = Object.entries(results).map(([name, rounds]) => ({
    name,
    values: rounds.flatMap(samplesOf),
  }));
  const base = median(samples.find(({ name }) => name === names[0])?.values ?? []);
  /** @param {number} value */
  const round = (value) => Number(value.toPrecision(3));
  console.log(`\n${title}`);
  console.table(
    Object.fromEntries(
      samples.map(({ name, values }) => [
        name,
        {
          min: round(Math.min(...values)),
          median: round(median(values)),
          max: round(Math.max(...values)),
          [`× ${names[0]}`]: round(median(values) / base),
        },
      ]),
    ),
  );
}
