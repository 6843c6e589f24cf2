import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { compareAnswers } from '../../benchmarks/gpu/answers.js';

const root = resolve(import.meta.dirname, '../..');
const script = join(root, 'benchmarks/gpu/run.js');

let output: string;
beforeEach(() => (output = mkdtempSync(join(tmpdir(), 'slashv1-gpu-'))));
afterEach(() => rmSync(output, { recursive: true }));

/** Runs the command with the bundled models, without any device but the CPU. */
async function measure(options: readonly string[], env: NodeJS.ProcessEnv = {}) {
  const args = ['--output', output, '--models', join(output, 'none'), '--devices', 'none', ...options];
  await promisify(execFile)(process.execPath, [script, ...args], {
    cwd: output,
    env: { ...process.env, ...env },
  });
  const { results } = JSON.parse(readFileSync(join(output, 'results.json'), 'utf8')) as {
    results: { kind: string; model: string; fault: string }[];
  };
  return { results, page: readFileSync(join(output, 'README.md'), 'utf8') };
}

it('leaves out what there is no time for, and says so', async () => {
  const { results, page } = await measure(['--minutes', '0.01']);
  expect(results.map(({ kind }) => kind)).toEqual([
    ...Array.from({ length: 7 }, () => 'answers'),
    'decode',
    'streams',
    ...Array.from({ length: 6 }, () => 'speed'),
  ]);
  expect(page).toContain('- decode, tiny-chat on cpu: left out: no time was left');
});

it('loses only the part whose process ends', async () => {
  const crash = "if (process.argv[1]?.includes('answers')) process.kill(process.pid, 'SIGKILL')";
  const faults = "if (process.argv[1]?.includes('benchmarks/bench')) throw new Error('no such driver')";
  const load = `--import=data:text/javascript,${encodeURIComponent(`${crash};${faults}`)}`;
  const { results, page } = await measure([], { NODE_OPTIONS: load });
  expect(results).toHaveLength(15);
  expect(page).toContain('- answers, tiny-embed on cpu: ended by SIGKILL');
  expect(page).toContain('- streams, tiny-chat on cpu: failed with 1: Error: no such driver');
});

it('names the option that is wrong', async () => {
  await expect(measure(['--minutes', 'ten'])).rejects.toThrow(
    '--minutes: expected a number above 0, got ten.',
  );
});

it.each([
  ['the same numbers', { scores: [1, 2] }, { scores: [1, 2.0005] }, { apart: 0.0005 }],
  ['a number that is none', { scores: [1] }, { scores: [Number.NaN] }, { apart: Number.NaN }],
  ['other texts', { text: ['a', 'b'] }, { text: ['a', 'c'] }, { apart: 1 }],
  ['fewer values', { scores: [1, 2] }, { scores: [1] }, { apart: Infinity }],
  ['an answer without a quantity', { scores: [1] }, {}, { apart: Infinity }],
  ['tokens with a clear lead', { tokens: ['1', '2'], leads: [3, 3] }, { tokens: ['1', '9'] }, { apart: 1 }],
  [
    'tokens after two that are equally likely',
    { tokens: ['1', '2', '3'], leads: [3, 0.01, 3] },
    { tokens: ['1', '9', '8'] },
    { apart: 0, detail: '1 of 3, then two are equally likely' },
  ],
])('compares %s', (_name, cpu, other, expected) => {
  const [difference] = compareAnswers(
    cpu as Record<string, (string | number)[]>,
    other as Record<string, (string | number)[]>,
  );
  const { apart, detail } = expected as { apart: number; detail?: string };
  if (Number.isFinite(apart)) expect(difference!.apart).toBeCloseTo(apart, 6);
  else expect(difference!.apart).toBe(apart);
  if (detail !== undefined) expect(difference!.detail).toBe(detail);
});
