import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { applyLoad } from '../../../src/cli/bench/load.ts';

const never = new AbortController().signal;
const unlimited = { requests: Infinity, durationMs: Infinity };

describe('applyLoad', () => {
  it('sends as many requests as it is told, so many at a time', async () => {
    let running = 0;
    let most = 0;
    const send = async (index: number): Promise<number> => {
      most = Math.max(most, ++running);
      await delay(1);
      running--;
      return index;
    };
    const { samples, isInterrupted } = await applyLoad({ ...unlimited, concurrency: 3, requests: 10 }, send, {
      signal: never,
    });
    expect([...samples].sort((a, b) => a - b)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect({ most, isInterrupted }).toEqual({ most: 3, isInterrupted: false });
  });

  it('begins none when the time is over', async () => {
    const { samples } = await applyLoad({ ...unlimited, concurrency: 1, durationMs: 20 }, () => delay(15), {
      signal: never,
    });
    expect(samples.length).toBeGreaterThan(0);
    expect(samples.length).toBeLessThan(4);
  });

  it('keeps what it has when it is interrupted, and nothing that was broken off', async () => {
    const controller = new AbortController();
    const { samples, isInterrupted } = await applyLoad(
      { ...unlimited, concurrency: 1 },
      async (index, signal) => {
        if (index === 2) {
          controller.abort();
          signal.throwIfAborted();
        }
        return index;
      },
      { signal: controller.signal },
    );
    expect({ samples, isInterrupted }).toEqual({ samples: [0, 1], isInterrupted: true });
  });

  it('fails with the first error, and cancels the others', async () => {
    let wasCancelled = false;
    const send = async (index: number, signal: AbortSignal): Promise<void> => {
      if (index === 0) throw new Error('first');
      await delay(60_000, undefined, { signal }).catch(() => (wasCancelled = true));
      throw new Error('second');
    };
    const load = { ...unlimited, concurrency: 2 };
    await expect(applyLoad(load, send, { signal: never })).rejects.toThrow('first');
    expect(wasCancelled).toBe(true);
  });

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
    const { samples } = await applyLoad(load, send, { signal: never, random: () => 0.5 });
    expect(samples).toHaveLength(20);
    expect(most).toBeGreaterThan(1);
  });

  it('waits for exponential times', async () => {
    const begun: number[] = [];
    const startedAt = performance.now();
    const send = async (): Promise<void> => void begun.push(performance.now() - startedAt);
    // -ln(1 - 0.6321) is 1: a request every 20 ms, never earlier.
    const load = { ...unlimited, concurrency: 1, rate: 50, requests: 4 };
    await applyLoad(load, send, { signal: never, random: () => 0.632_12 });
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
    await applyLoad(load, send, { signal: never, random });
    expect(begun).toHaveLength(4);
    for (const [index, atMs] of begun.entries()) expect(atMs).toBeGreaterThan(index * 20 - 3);
  });
});
