import { setTimeout as pause } from 'node:timers/promises';
import { InferenceError } from '../../../dist/src/index.js';
import type { RunningEngine } from '../engine.ts';

const clients = 4;
const answersBefore = 8;
/** What a caller may be told while its engine is away. */
const expected = new Set(['worker_failed', 'overloaded']);

export interface KillOptions {
  /** One whole request. @throws InferenceError where it fails */
  ask(): Promise<unknown>;
  readonly running: RunningEngine;
  /** At the same address. */
  restart(): Promise<RunningEngine>;
}

/**
 * Kills an engine under load and starts it again: its requests fail with an error of this API, and the same model
 * answers again afterwards.
 *
 * @returns figures
 */
export async function killAndRestart({
  ask,
  running,
  restart,
}: KillOptions): Promise<[string, RunningEngine]> {
  const over = new AbortController();
  const codes = new Map<string, number>();
  const counts = { before: 0, after: 0 };
  let phase: keyof typeof counts = 'before';
  let isAway = false;
  const client = async (): Promise<void> => {
    while (!over.signal.aborted) {
      try {
        await ask();
        if (!isAway) counts[phase]++;
      } catch (error) {
        const code = InferenceError.isInstance(error) ? error.code : String(error);
        codes.set(code, (codes.get(code) ?? 0) + 1);
        await pause(50);
      }
    }
  };
  const all = Array.from({ length: clients }, client);
  try {
    await until(() => counts.before >= answersBefore);
    isAway = true;
    await running.kill();
    await until(() => codes.size > 0);
    const back = await restart();
    phase = 'after';
    isAway = false;
    await until(() => counts.after >= answersBefore);
    const strange = [...codes.keys()].filter((code) => !expected.has(code));
    if (strange.length > 0) throw new Error(`requests failed with ${strange.join(', ')}`);
    return ['502 while away, then answers', back];
  } finally {
    over.abort();
    await Promise.all(all);
  }
}

async function until(isSo: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 120_000;
  while (!isSo()) {
    if (performance.now() > giveUpAt) throw new Error('it took more than two minutes');
    await pause(20);
  }
}
