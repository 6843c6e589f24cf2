import { describe, expect, it } from 'vitest';
import type { BenchReport } from '../../../src/cli/bench/bench-command.ts';
import { Cli, runCli } from '../cli-process.ts';

describe('slashv1 bench', () => {
  it('measures a chat model', async () => {
    const line = 'bench tiny-chat --requests 2 --concurrency 2 --prompt-tokens 100 --max-tokens 4 --json';
    const { code, output, messages } = await runCli(line.split(' '));
    expect(code, messages).toBe(0);
    const report = JSON.parse(output) as BenchReport;
    expect(report).toMatchObject({ model: 'tiny-chat', category: 'chat', requests: 2, concurrency: 2 });
    const named = (name: string) => report.measurements.find((one) => one.name === name)!;
    expect(named('time to first token').samples).toHaveLength(2);
    expect(named('per stream').p95!).toBeLessThanOrEqual(named('per stream').p50!);
    expect(named('prompt').overall!).toBeGreaterThan(60);
    expect(named('prompt').overall!).toBeLessThan(140);
    expect(named('answer').overall!).toBeLessThanOrEqual(4);
    if (process.platform === 'linux') expect(report.peakBytes).toBeGreaterThan(2e7);
  });

  it('prints a table', async () => {
    const { code, output } = await runCli(['bench', 'tiny-embed', '--requests', '1']);
    expect(code).toBe(0);
    expect(output).toMatch(
      /^tiny-embed, embedding, on this machine(?:, peak memory \d+ MB)?\n1 request in \d\.\d s, 1 at a time; 32 texts in each/,
    );
    expect(output).toMatch(/\n +p50 +p95 +p99 +overall\nrequest +\d/);
    expect(output).not.toContain('\u001B');
  });

  it.each([
    ['tiny-chat --device abacus', '--device: expected "cpu" or "webgpu"'],
    ['tiny-chat --rate 1', 'There is no option --rate.'],
  ])('refuses %s', async (line, message) => {
    const { code, messages } = await runCli(['bench', ...line.split(' ')]);
    expect(messages).toContain(message);
    expect(code).toBe(2);
  });

  it('can be ended while it loads', async () => {
    await using cli = new Cli(['bench', 'tiny-chat']);
    await cli.until(() => cli.messages.includes('loading'));
    cli.kill('SIGINT');
    expect(await cli.end()).toMatchObject({ code: 130, output: '' });
  });
});
