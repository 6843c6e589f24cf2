// `slashv1 bench --rate` beside the load generator of vLLM, at one server of ours, with the same prompts and rate. Each prints its
// table: percentiles of the time to the first token, per token and of whole answers. Both arrive as a Poisson process, at other
// times, so short runs differ by chance: run it on a quiet machine for minutes. vLLM needs pandas (`pip install "vllm[bench]"`).
// Usage: VLLM='PROGRAM ARGUMENTS' node benchmarks/arrivals-peer.js [--model tiny-chat] [--tokenizer FOLDER] [--rate 4]
//   [--requests 200] [--max-tokens 32], where VLLM is the command `vllm`, such as './venv/bin/vllm'
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    model: { type: 'string', default: 'tiny-chat' },
    tokenizer: { type: 'string', default: 'examples/models/tiny-chat' },
    rate: { type: 'string', default: '4' },
    requests: { type: 'string', default: '200' },
    'max-tokens': { type: 'string', default: '32' },
  },
});
const [program, ...first] = (process.env['VLLM'] ?? '').split(' ').filter(Boolean);
if (program === undefined)
  throw new Error("VLLM: expected vLLM's command, such as ./venv/bin/vllm, got none");

const cli = fileURLToPath(new URL('../dist/src/cli/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'slashv1-arrivals-'));
const key = 'sk-bench';
const count = Number(values.requests);
const prompts = join(folder, 'prompts.jsonl');
const shapes = ['circle', 'square', 'triangle', 'star'];
const lines = Array.from({ length: count }, (_, index) =>
  JSON.stringify({
    prompt: `Describe scene ${index} with a ${shapes[index % 4]} and a ${shapes[(index >> 2) % 4]}.`,
  }),
);
writeFileSync(prompts, `${lines.join('\n')}\n`);

const probe = createServer().listen(0, '127.0.0.1');
await once(probe, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (probe.address());
probe.close();
await once(probe, 'close');
const server = spawn(
  process.execPath,
  [cli, 'serve', '--model', `assistant=${values.model}`, '--port', String(port)],
  { env: { ...process.env, SLASHV1_API_KEY: key }, stdio: ['ignore', 'ignore', 'inherit'] },
);
try {
  const address = `http://127.0.0.1:${port}`;
  await untilReady(`${address}/health/ready`);
  execFileSync(
    process.execPath,
    [
      cli,
      'bench',
      'assistant',
      '--url',
      `${address}/v1`,
      '--key',
      key,
      '--rate',
      values.rate,
      '--requests',
      values.requests,
      '--prompts',
      prompts,
      '--max-tokens',
      values['max-tokens'],
    ],
    { stdio: 'inherit' },
  );
  execFileSync(
    program,
    [
      ...first,
      'bench',
      'serve',
      '--backend',
      'openai-chat',
      '--base-url',
      address,
      '--endpoint',
      '/v1/chat/completions',
      '--model',
      'assistant',
      '--tokenizer',
      values.tokenizer,
      '--dataset-name',
      'custom',
      '--dataset-path',
      prompts,
      '--skip-chat-template',
      '--disable-shuffle',
      '--custom-output-len',
      values['max-tokens'],
      '--request-rate',
      values.rate,
      '--num-prompts',
      values.requests,
      '--percentile-metrics',
      'ttft,tpot,itl,e2el',
      '--metric-percentiles',
      '50,90,99',
    ],
    { stdio: 'inherit', env: { ...process.env, OPENAI_API_KEY: key } },
  );
} finally {
  server.kill();
  rmSync(folder, { recursive: true });
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
