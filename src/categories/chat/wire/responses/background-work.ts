import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptValues } from '../../../../contracts/caller.ts';
import { InferenceError } from '../../../../errors.ts';
import { unixTime } from '../../../../http/headers.ts';

const beatMs = 1000;
/** Work without a heartbeat for this long died with its process. */
const maxBeatAgeSeconds = 15;
const pollMs = 50;
const stopMs = 10_000;

/** This process's running work, by response id. */
const ownWork = new Map<string, AbortController>();

const beatOf = (id: string): string => `${id}.beat`;
const stopOf = (id: string): string => `${id}.stop`;

/** A heartbeat shows different processes that it is running. */
export async function beginWork(
  kept: KeptValues,
  id: string,
): Promise<{ readonly signal: AbortSignal; end(): Promise<void> }> {
  const controller = new AbortController();
  const beat = async (): Promise<void> => {
    await kept.set(beatOf(id), String(unixTime()));
    if ((await kept.get(stopOf(id))) !== undefined) controller.abort();
  };
  await beat();
  ownWork.set(id, controller);
  // The store may recover before the next beat.
  const beats = setInterval(() => void beat().catch(() => undefined), beatMs).unref();
  return {
    signal: controller.signal,
    /** Call it once the result is stored. Never rejects: leftover marks expire. */
    async end(): Promise<void> {
      clearInterval(beats);
      ownWork.delete(id);
      await Promise.allSettled([beatOf(id), stopOf(id)].map((mark) => kept.delete(mark)));
    },
  };
}

/** True while the work runs in any process. */
export async function isWorkRunning(kept: KeptValues, id: string): Promise<boolean> {
  const beatAt = (await kept.get(beatOf(id))) as number | undefined;
  return beatAt !== undefined && unixTime() - beatAt <= maxBeatAgeSeconds;
}

/** In any process. @throws InferenceError `overloaded` if that takes too long */
export async function stopWork(kept: KeptValues, id: string): Promise<void> {
  const own = ownWork.get(id);
  if (own) own.abort();
  else if (await isWorkRunning(kept, id)) await kept.set(stopOf(id), 'true');
  const endsAt = performance.now() + stopMs;
  while (await isWorkRunning(kept, id)) {
    if (performance.now() < endsAt) await sleep(pollMs);
    else {
      const message = 'The process that runs the response has not stopped it yet. Try again.';
      throw new InferenceError('overloaded', message, { retryAfterSeconds: 1 });
    }
  }
}
