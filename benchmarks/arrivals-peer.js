// `benchmarks/bench --rate` beside the load generator of vLLM, at one server of ours, in turns, and a table of both: percentiles of the time
// to the first token, per token, between pieces and of whole answers. No two runs have the same prompts, so that no cached prefix helps.
// Requests arrive at equal distances. With --poisson each arrives at its own random times, so that short runs differ by chance, near the
// limit of a machine several times over. Run it on a quiet machine.
// Usage: VLLM='PROGRAM ARGUMENTS' node benchmarks/arrivals-peer.js [--model tiny-chat] [--tokenizer FOLDER] [--rate 1,2,4]
//   [--seconds 30] [--rounds 2] [--max-tokens 32] [--poisson], where VLLM is `vllm`, or `PYTHON benchmarks/vllm-load.py FOLDER`
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { machine, median } from './measure.js';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'tiny-chat' },
    tokenizer: { type: 'string', default: 'examples/models/tiny-chat' },
    rate: { type: 'string', default: '1,2,4' },
    seconds: { type: 'string', default: '30' },
    rounds: { type: 'string', default: '2' },
    'max-tokens': { type: 'string', default: '32' },
    poisson: { type: 'boolean', default: false },
  },
});
const [program, ...first] = (process.env['VLLM'] ?? '').split(' ').filter(Boolean);
if (program === undefined)
  throw new Error("VLLM: expected vLLM's command, such as ./venv/bin/vllm, got none");

const cli = fileURLToPath(new URL('../dist/benchmarks/bench/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'slashv1-arrivals-'));
const key = 'sk-bench';
const shapes = ['circle', 'square', 'triangle', 'star'];
const percentiles = /** @type {const} */ ([50, 90, 99]);
/** The names of a quantity: slashv1's and vLLM's. */
const quantities = {
  'time to first token': 'ttft',
  'per token': 'tpot',
  'between pieces': 'itl',
  'end to end': 'e2el',
};
const load = { ...process.env, OPENAI_API_KEY: key };
let runs = 0;

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
probe.close();
await once(probe, 'close');
const address = `http://127.0.0.1:${port}`;
const server = spawn(
  process.execPath,
  [cli, 'serve', '--model', `assistant=${values.model}`, '--port', String(port)],
  { env: { ...process.env, SLASHV1_API_KEY: key }, stdio: ['ignore', 'ignore', 'inherit'] },
);
try {
  await untilReady(`${address}/health/ready`);
  console.log(`${values.model}, ${machine()}, ${values['max-tokens']} tokens an answer; milliseconds`);
  // The first run of a server is often slower than all others.
  runOwn('2');
  for (const rate of values.rate.split(',')) {
    /** @type {Record<string, ((quantity: string, percentile: number) => number)[]>} */
    const results = { slashv1: [], vllm: [] };
    for (let round = 0; round < Number(values.rounds); round++) {
      const both = [() => results['slashv1']?.push(runOwn(rate)), () => results['vllm']?.push(runPeer(rate))];
      for (const one of round % 2 === 0 ? both : both.toReversed()) one();
    }
    show(rate, results);
  }
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
}

/** @param {string} rate */
function writePrompts(rate) {
  const run = ++runs;
  const requests = Math.ceil(Number(rate) * Number(values.seconds));
  const prompts = join(folder, `prompts-${run}.jsonl`);
  const lines = Array.from({ length: requests }, (_, index) =>
    JSON.stringify({
      prompt: `${run}.${index}: describe a ${shapes[index % 4]} and a ${shapes[(index >> 2) % 4]}.`,
    }),
  );
  writeFileSync(prompts, `${lines.join('\n')}\n`);
  return { prompts, requests: String(requests), file: join(folder, `results-${run}.json`) };
}

/** @param {string} rate */
function runOwn(rate) {
  const { prompts, requests, file } = writePrompts(rate);
  const options = ['--url', `${address}/v1`, '--key', key, '--rate', rate, '--requests', requests];
  const answers = [
    '--prompts',
    prompts,
    '--max-tokens',
    values['max-tokens'],
    '--output',
    file,
    ...(values.poisson ? [] : ['--even']),
  ];
  execFileSync(process.execPath, [cli, 'assistant', ...options, ...answers], { stdio: 'ignore' });
  /** @type {import('../dist/benchmarks/bench/results.js').BenchResults} */
  const {
    runs: [report],
  } = JSON.parse(readFileSync(file, 'utf8'));
  return (/** @type {string} */ quantity, /** @type {number} */ percentile) => {
    const found = report?.measurements.find(({ name }) => name === quantity);
    return Number(found?.[/** @type {'p50'} */ (`p${percentile}`)]);
  };
}

/** With our default temperature. @param {string} rate */
function runPeer(rate) {
  const { prompts, requests, file } = writePrompts(rate);
  const place = ['--backend', 'openai-chat', '--base-url', address, '--endpoint', '/v1/chat/completions'];
  const model = ['--model', 'assistant', '--tokenizer', values.tokenizer, '--temperature', '0.7'];
  const data = [
    '--dataset-name',
    'custom',
    '--dataset-path',
    prompts,
    '--custom-output-len',
    values['max-tokens'],
  ];
  const arrivals = [
    '--request-rate',
    rate,
    '--num-prompts',
    requests,
    '--seed',
    String(runs),
    '--burstiness',
    values.poisson ? '1' : '1e6',
  ];
  const output = [
    '--percentile-metrics',
    'ttft,tpot,itl,e2el',
    '--metric-percentiles',
    percentiles.join(','),
  ];
  const saved = ['--disable-tqdm', '--save-result', '--result-filename', file];
  const options = [...place, ...model, ...data, '--custom-skip-chat-template', ...arrivals];
  execFileSync(program ?? '', [...first, 'bench', 'serve', ...options, ...output, ...saved], {
    env: load,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const result = JSON.parse(readFileSync(file, 'utf8'));
  if (result.completed !== Number(requests))
    throw new Error(`vLLM: expected ${requests} answers, got ${result.completed}`);
  return (/** @type {string} */ quantity, /** @type {number} */ percentile) =>
    result[`p${percentile}_${quantities[/** @type {keyof typeof quantities} */ (quantity)]}_ms`];
}

/** @param {string} rate @param {Record<string, ((quantity: string, percentile: number) => number)[]>} results medians over the rounds */
function show(rate, results) {
  console.log(`\n${rate} a second, ${values.seconds} s, rounds: ${values.rounds}`);
  const rows = Object.keys(quantities).flatMap((quantity) =>
    percentiles.map((percentile) => {
      const [own = Number.NaN, peer = Number.NaN] = ['slashv1', 'vllm'].map((name) =>
        median((results[name] ?? []).map((valueOf) => valueOf(quantity, percentile))),
      );
      const round = (/** @type {number} */ value) => Number(value.toPrecision(3));
      return {
        '': `${quantity}, p${percentile}`,
        slashv1: round(own),
        vLLM: round(peer),
        ratio: round(own / peer),
      };
    }),
  );
  console.table(rows);
}

/** @param {string} url */
async function untilReady(url) {
  for (let tries = 0; tries < 3000; tries++) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error(`${url}: expected a model that is ready within five minutes`);
}
