import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chat, embedding, rerank } from '../../../dist/src/index.js';
import type { BenchResults } from '../../../benchmarks/bench/results.ts';
import { serve, type RunningService } from '../../e2e/serve.ts';
import { address, listen, stop } from '../../hub/hub-server.ts';
import { Cli, runCli } from '../../cli/cli-process.ts';

interface Report {
  readonly requests: number;
  readonly isInterrupted: boolean;
  readonly measurements: readonly {
    readonly name: string;
    readonly p50?: number;
    readonly p95?: number;
    readonly overall?: number;
  }[];
}

const program = fileURLToPath(new URL('../../../dist/benchmarks/bench/main.js', import.meta.url));
const run = (args: readonly string[]) => runCli(args, { program });

async function bench(line: string): Promise<Report> {
  const { code, output, messages } = await run([...line.split(' '), '--json']);
  expect(code, messages).toBe(0);
  return (JSON.parse(output) as { readonly runs: readonly Report[] }).runs[0]!;
}

const byName = ({ measurements }: Report, name: string) => measurements.find((one) => one.name === name)!;

describe('the load generator', () => {
  it('measures a chat model', async () => {
    const report = await bench('tiny-chat --requests 4 --concurrency 2 --prompt-tokens 100 --max-tokens 12');
    expect(report).toMatchObject({ model: 'tiny-chat', category: 'chat', requests: 4, concurrency: 2 });
    const first = byName(report, 'time to first token');
    expect(first.p50!).toBeGreaterThan(0);
    expect(first.p95!).toBeGreaterThanOrEqual(first.p50!);
    const speed = byName(report, 'per stream');
    expect(speed.p95!).toBeLessThanOrEqual(speed.p50!);
    expect(byName(report, 'all streams').overall!).toBeGreaterThan(0);
    expect(byName(report, 'reading the prompt').p50!).toBeGreaterThan(0);
    expect(byName(report, 'prompt').overall!).toBeGreaterThan(80);
    expect(byName(report, 'prompt').overall!).toBeLessThan(120);
    expect(byName(report, 'answer').overall!).toBeLessThanOrEqual(12);
  }, 300_000);

  it('sweeps, writes all samples with the machine, and compares two such files', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slashv1-bench-'));
    const [one, two] = [join(folder, 'one.json'), join(folder, 'two.json')];
    try {
      const line =
        'tiny-chat --requests 2 --max-tokens 4 --threads 1 --sweep context=64,128 --sweep streams=1,2';
      for (const file of [one, two]) {
        const { code, messages } = await run([...line.split(' '), '--output', file]);
        expect(code, messages).toBe(0);
      }
      const { machine, runs, date } = JSON.parse(await readFile(one, 'utf8')) as BenchResults;
      expect(Date.parse(date)).toBeGreaterThan(0);
      expect(machine).toMatchObject({ processors: cpus().length, versions: { node: process.version } });
      expect(
        runs.map(({ promptTokens, concurrency, threads }) => [promptTokens, concurrency, threads]),
      ).toEqual([
        [64, 1, 1],
        [64, 2, 1],
        [128, 1, 1],
        [128, 2, 1],
      ]);
      const [first] = runs[0]!.measurements;
      expect(first).toMatchObject({ name: 'time to first token', unit: 'ms' });
      expect(first!.samples).toHaveLength(2);
      expect(first!.p99).toBeGreaterThan(0);
      if (process.platform === 'linux') expect(runs[0]!.peakBytes).toBeGreaterThan(2e7);
      const { code, output } = await run(['compare', one, two, '--plots', folder]);
      expect(code).toBe(0);
      expect(output).toMatch(/^context 64, streams 2 +time to first token +[\d.]+ +[\d.]+ +ms +[\d.]+ ×$/m);
      expect(await readFile(join(folder, 'time-to-first-token.svg'), 'utf8')).toMatch(/^<svg .*<\/svg>\n$/s);
    } finally {
      await rm(folder, { recursive: true });
    }
  }, 300_000);

  it.each([
    ['tiny-chat --sweep contxt=1', '--sweep: expected context=… or streams=…, got "contxt=1"'],
    ['tiny-chat --sweep context=a', '--sweep context: expected numbers such as 128,1k'],
    ['tiny-chat --sweep streams=2 --concurrency 3', '--sweep streams: expected without --concurrency'],
    ['tiny-chat --sweep streams=2 --sweep streams=3', '--sweep: expected streams once'],
    ['tiny-chat --device abacus', '--device: expected "cpu" or "webgpu"'],
    ['x --url localhost', '--url: expected an address such as http'],
    ['tiny-chat --key x', '--key: expected with --url'],
    ['tiny-chat --url http://127.0.0.1:1/v1 --dtype q4', '--dtype: expected without --url'],
    ['compare package.json', 'Expected two files of results, got 1.'],
    ['compare package.json package.json', 'package.json: format'],
    ['compare no.json package.json', 'no.json: expected a file that --output wrote.'],
  ])('refuses %s', async (line, message) => {
    const { code, messages } = await run(line.split(' '));
    expect(messages).toContain(message);
    expect(code).toBe(2);
  });
});

describe('the load generator --url', () => {
  let service: RunningService;
  beforeAll(async () => {
    service = await serve(
      {
        assistant: chat({ source: 'tiny-chat' }),
        embedder: embedding({ source: 'tiny-embed' }),
        ranker: rerank({ source: 'test/contract/models/bert-reranker' }),
      },
      { auth: { keys: ['sk-bench'] } },
    );
  }, 300_000);
  afterAll(() => service.close());

  it.each([
    ['assistant --max-tokens 8', 'all streams'],
    ['embedder --prompt-tokens 8', 'texts'],
    ['ranker --prompt-tokens 30', 'documents'],
  ])(
    'measures %s over HTTP',
    async (line, name) => {
      const report = await bench(`${line} --requests 2 --url ${service.origin}/v1 --key sk-bench`);
      expect(report).toMatchObject({ url: `${service.origin}/v1`, requests: 2 });
      expect(byName(report, name).overall!).toBeGreaterThan(0);
    },
    300_000,
  );

  it.each([
    ['assistant', /answers 401: Expected a header/],
    ['nobody --key sk-bench', /answers 404: The model "nobody" does not exist/],
  ])('tells what the server says: %s', async (line, message) => {
    const { code, messages } = await run([...line.split(' '), '--url', `${service.origin}/v1`]);
    expect(messages).toMatch(message);
    expect(code).toBe(1);
  });

  it('tells that there is no server', async () => {
    const { code, messages } = await run(['x', '--url', 'http://127.0.0.1:1/v1']);
    expect(messages).toMatch(/^http:\/\/127\.0\.0\.1:1\/v1 can't be reached: /m);
    expect(code).toBe(1);
  });
});

describe('the load generator and Ctrl-C', () => {
  let answered = 0;
  let asked = 0;
  let most = 0;
  const server = createServer((request, response) => {
    response.setHeader('content-type', 'application/json');
    const model = { id: 'x', category: 'embedding', context_length: 0 };
    if (request.url === '/v1/models/x') return void response.end(JSON.stringify(model));
    if (request.url === '/v1/models') return void response.end(JSON.stringify({ data: [model] }));
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      asked++;
      if (answered >= most) return;
      answered++;
      const { input } = JSON.parse(body) as { input: string | readonly string[] };
      const vector = Buffer.from(new Float32Array([1, 0]).buffer).toString('base64');
      const data = [input].flat().map((_, index) => ({ index, embedding: vector }));
      response.end(JSON.stringify({ data, usage: { prompt_tokens: String(input).length, total_tokens: 0 } }));
    });
  });
  let url: string;
  beforeAll(async () => {
    await listen(server);
    url = `${address(server)}/v1`;
  });
  afterAll(() => stop(server));
  // Three requests find out how long texts have to be, a fourth one warms up.
  const before = 4;

  it.each([
    [0, 'nothing'],
    [3, 'those that were answered'],
  ])(
    'after %i answers it prints %s',
    async (measured) => {
      answered = asked = 0;
      most = before + measured;
      await using cli = new Cli(['x', '--url', url, '--duration', '1h', '--json'], { program });
      await cli.until(() => asked > most);
      cli.kill('SIGINT');
      const { code, output } = await cli.end();
      expect(code).toBe(130);
      if (measured === 0) expect(cli.messages).toContain('Nothing was measured yet.');
      else expect(JSON.parse(output)).toMatchObject({ runs: [{ requests: measured, isInterrupted: true }] });
    },
    300_000,
  );
});
