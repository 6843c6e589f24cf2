import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { loadKoffi } from '../../../src/runtime/native/load-koffi.ts';
import { RunQueue } from '../../../src/runtime/native/run-queue.ts';
import { doublingModel } from '../doubling-model.ts';
import { loopingModel } from './graphs.ts';
import { needs, otherSystem } from '../../needs.ts';

const script = fileURLToPath(new URL('hazard-cases.js', import.meta.url));

interface Outcome {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly result: unknown;
  readonly errors: string;
  /** Written to a home folder that was empty. */
  readonly files: readonly string[];
}

/** Runs a case in a process of its own. */
async function runCase(name: string, environment: NodeJS.ProcessEnv = {}): Promise<Outcome> {
  const home = mkdtempSync(join(tmpdir(), 'slashv1-home-'));
  const { ORT_DISABLE_TELEMETRY: _, SLASHV1_RUNTIME: __, ...inherited } = process.env;
  const child = spawn(process.execPath, ['--expose-gc', script, name], {
    env: {
      ...inherited,
      HOME: home,
      XDG_CACHE_HOME: '',
      MODEL_DOUBLING: Buffer.from(doublingModel()).toString('base64'),
      MODEL_LOOPING: Buffer.from(loopingModel()).toString('base64'),
      ...environment,
    },
    // A case that doesn't end is a case that isn't survived.
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  const [output, errors]: [Buffer[], Buffer[]] = [[], []];
  child.stdout.on('data', (chunk: Buffer) => output.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => errors.push(chunk));
  const { code, signal } = await new Promise<Pick<Outcome, 'code' | 'signal'>>((resolve) => {
    child.once('close', (exitCode, exitSignal) => resolve({ code: exitCode, signal: exitSignal }));
  });
  const files = readdirSync(home, { recursive: true }).map(String);
  rmSync(home, { recursive: true });
  const text = Buffer.concat(output).toString();
  return { code, signal, result: text && JSON.parse(text), errors: Buffer.concat(errors).toString(), files };
}

describe('the native runtime survives', () => {
  it.each<[string, unknown]>([
    ['a collected library handle', [2, 4]],
    ['collected arrays under bound tensors', [6, 200]],
    ['collected arrays under a run', [20_001, 200]],
    ['a collected model that is being loaded', [8]],
    ['process.exit in a run', ''],
    ['sessions that are never released', 'left'],
    ['a thread that is terminated in a run', [2]],
    ['sessions in two threads at once', [42, 42]],
  ])('%s', async (name, result) => {
    expect(await runCase(name)).toEqual({ code: 0, signal: null, result, errors: '', files: [] });
  });

  it('an uncaught error in a run, which ends the process as any other', async () => {
    const { code, signal, errors } = await runCase('an uncaught error in a run');
    expect({ code, signal }).toEqual({ code: 1, signal: null });
    expect(errors).toContain('Error: thrown');
  });
});

describe('the other runtime is taken', () => {
  it.each([
    ['stacks of another user of koffi', /Koffi configuration/],
    ['koffi is not installed', /no koffi/],
  ])('%s', async (name, reason) => {
    const { code, result } = await runCase(name);
    expect({ code, result }).toEqual({
      code: 0,
      result: [
        { name: 'onnxruntime-node', version: expect.any(String), reason: expect.stringMatching(reason) },
        [2],
      ],
    });
  });
});

describe('the native runtime', () => {
  it('writes no telemetry, in threads neither', async () => {
    expect(await runCase('a collected library handle')).toMatchObject({ code: 0, files: [] });
    expect(await runCase('telemetry in a thread')).toMatchObject({ code: 0, result: 42, files: [] });
  });

  // The C library of Linux gives large blocks back at once when it is asked to; elsewhere the resident size tells too little.
  it(
    'keeps no memory of sessions, runs, cancelled runs, bindings and tensors',
    { ...needs(otherSystem('linux')), timeout: 120_000 },
    async () => {
      const { result, errors } = await runCase('leaks', { MALLOC_MMAP_THRESHOLD_: '65536' });
      expect(errors).toBe('');
      const rss = result as number[];
      const lowest = (from: number, to: number) => Math.min(...rss.slice(from, to));
      // Four megabytes: a tensor of one run in fifty that was kept would show.
      expect(lowest(40, 60) / lowest(10, 30)).toBeLessThan(1.05);
    },
  );

  it('calls on stacks of 8 MiB', async () => {
    const { sync_stack_size: sync, async_stack_size: asynchronous } = (await loadKoffi()).config();
    expect([sync, asynchronous]).toEqual([8 * 2 ** 20, 8 * 2 ** 20]);
  });
});

describe('RunQueue', () => {
  it('lets one in at a time, in order', async () => {
    const queue = new RunQueue();
    const order: number[] = [];
    expect(queue.tryEnter()).toBe(true);
    const waiting = [1, 2, 3].map(async (index) => {
      await queue.enter();
      order.push(index);
      queue.leave();
    });
    expect(queue.tryEnter()).toBe(false);
    queue.leave();
    await Promise.all(waiting);
    expect(order).toEqual([1, 2, 3]);
    expect(queue.tryEnter()).toBe(true);
  });
});
