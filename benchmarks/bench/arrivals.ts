import { setTimeout as sleep } from 'node:timers/promises';
import type { Begin, Load as Lanes } from '../../src/cli/bench/load.ts';

/** Load on a model, as lanes of requests or as arrivals. */
export interface Load extends Lanes {
  /** Requests per second that begin, at random times and however many run; default: each when another ends. */
  readonly rate?: number | undefined;
  /** With `rate`: at equal distances in place of random times. */
  readonly isEven?: boolean | undefined;
}

/**
 * Begins requests at random times: gaps of a Poisson process are exponential.
 *
 * @param random from 0 to below 1
 */
export function arrivals(
  { rate, isEven = false, durationMs }: Load & { readonly rate: number },
  random: () => number = Math.random,
): Begin {
  return async ({ mayBegin, one, signal }) => {
    const running: Promise<void>[] = [];
    const startedAt = performance.now();
    let atMs = 0;
    while (mayBegin()) {
      running.push(one());
      atMs += ((isEven ? 1 : -Math.log(1 - random())) / rate) * 1000;
      const waitMs = Math.min(atMs, durationMs) - (performance.now() - startedAt);
      await sleep(Math.max(0, waitMs), undefined, { signal }).catch(() => undefined);
    }
    await Promise.all(running);
  };
}
