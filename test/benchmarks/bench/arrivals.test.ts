import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { arrivals } from '../../../benchmarks/bench/arrivals.ts';
import { applyLoad } from '../../../src/cli/bench/load.ts';

const never = new AbortController().signal;
const unlimited = { requests: Infinity, durationMs: Infinity };

describe('arrivals', () => {
  it('begins requests at random times, however many run', async () => {
    let running = 0;
    let most = 0;
    const send = async (index: number): Promise<number> => {
      most = Math.max(most, ++running);
      await delay(50);
      running--;
      return index;
    };
    const load = { ...unlimited, concurrency: 1, rate: 1000, requests: 20 };
    const { samples } = await applyLoad(load, send, { signal: never, begin: arrivals(load, () => 0.5) });
    expect(samples).toHaveLength(20);
    expect(most).toBeGreaterThan(1);
  });

  it('waits for exponential times', async () => {
    const begun: number[] = [];
    const startedAt = performance.now();
    const send = async (): Promise<void> => void begun.push(performance.now() - startedAt);
    // -ln(1 - 0.6321) is 1: a request every 20 ms, never earlier.
    const load = { ...unlimited, concurrency: 1, rate: 50, requests: 4 };
    await applyLoad(load, send, { signal: never, begin: arrivals(load, () => 0.632_12) });
    for (const [index, atMs] of begun.entries()) expect(atMs).toBeGreaterThan(index * 20 - 3);
  });

  it('waits for equal times where arrivals are even, and draws none', async () => {
    const begun: number[] = [];
    const startedAt = performance.now();
    const send = async (): Promise<void> => void begun.push(performance.now() - startedAt);
    const load = { ...unlimited, concurrency: 1, rate: 50, isEven: true, requests: 4 };
    const random = (): number => {
      throw new Error('drawn');
    };
    await applyLoad(load, send, { signal: never, begin: arrivals(load, random) });
    expect(begun).toHaveLength(4);
    for (const [index, atMs] of begun.entries()) expect(atMs).toBeGreaterThan(index * 20 - 3);
  });
});
