import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { measureGoodput, readProductionLoad } from '../../../benchmarks/bench/production-load.ts';
import { assertCompatible } from '../../../benchmarks/bench/options.ts';
import { readSweep } from '../../../benchmarks/bench/sweep.ts';

describe('readProductionLoad', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'slashv1-prompts-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  const read = (text: string) => {
    const path = join(folder, 'prompts.jsonl');
    writeFileSync(path, text);
    return readProductionLoad({ prompts: path }).prompts;
  };

  it('reads texts, prompts and messages', () => {
    const messages = [{ role: 'system', content: 'Short.' }];
    expect(read(`"a"\n{"prompt":"b","id":1}\n\n${JSON.stringify({ messages })}\n`)).toEqual([
      [{ role: 'user', content: 'a' }],
      [{ role: 'user', content: 'b' }],
      messages,
    ]);
  });

  it.each([
    ['', /expected a prompt in .*, got none/],
    ['"a"\n{', /--prompts: line 2: /],
    ['{"text":"a"}', /--prompts: line 1: expected a text, \{ "prompt" \} or/],
  ])('refuses %j', (text, message) => {
    expect(() => read(text)).toThrow(message);
  });

  it('reads limits', () => {
    expect(readProductionLoad({ goodput: 'ttft=500,e2e=2500.5' }).goodput).toEqual({
      ttft: 500,
      e2e: 2500.5,
    });
    expect(() => readProductionLoad({ goodput: 'itl=5' })).toThrow(
      '--goodput: expected ttft, tpot or e2e with = and milliseconds, got "itl=5"',
    );
  });
});

describe('--rate', () => {
  it('is measured rate by rate', () => {
    expect(readSweep({ rate: '1,2.5' }).map(({ rate }) => rate)).toEqual(['1', '2.5']);
  });

  it.each([
    [{ rate: '1', concurrency: '2' }, '--rate: expected without --concurrency'],
    [{ even: true }, '--even: expected with --rate'],
    [{ prompts: 'x', 'prompt-tokens': '2' }, '--prompts: expected without --prompt-tokens'],
  ])('refuses %j', (values, message) => {
    expect(() => assertCompatible(values)).toThrow(message);
  });
});

describe('goodput', () => {
  it('counts the requests that keep each limit', () => {
    const usage = { promptTokens: 1, cachedTokens: 0, completionTokens: 11, reasoningTokens: 0 };
    const sample = (firstMs: number, totalMs: number) => ({ firstMs, totalMs, usage, gapsMs: [1, 3] });
    const samples = [sample(100, 200), sample(600, 700), sample(100, 1200), sample(400, 3000)];
    const measured = (goodput: object) => measureGoodput(samples, 2, goodput).overall;
    expect(measured({ ttft: 500 })).toBe(1.5);
    expect(measured({ ttft: 500, tpot: 50 })).toBe(0.5);
    expect(measured({ e2e: 1200 })).toBe(1.5);
  });
});
