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
});
