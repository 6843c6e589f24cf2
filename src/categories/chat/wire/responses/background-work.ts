import { setTimeout as sleep } from 'node:timers/promises';
import type { KeptValues } from '../../../../contracts/caller.ts';
import { InferenceError } from '../../../../errors.ts';
import { unixTime } from '../../../../http/headers.ts';

const beatMs = 1000;
/** Work whose last beat is older has ended with its process. */
const maxBeatAgeSeconds = 15;
const pollMs = 50;
const stopMs = 10_000;

/** The work of this process, by the ids of its responses. */
const ownWork = new Map<string, AbortController>();

const beatOf = (id: string): string => `${id}.beat`;
const stopOf = (id: string): string => `${id}.stop`;

/** Begins work that goes on when its request has been answered. Other processes see by its beat that it does. */
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
  // A store that fails now may answer the next time.
  const beats = setInterval(() => void beat().catch(() => undefined), beatMs).unref();
  return {
    signal: controller.signal,
    /** To be called when the result is kept. It never rejects: marks that are left expire. */
    async end(): Promise<void> {
      clearInterval(beats);
      ownWork.delete(id);
      await Promise.allSettled([beatOf(id), stopOf(id)].map((mark) => kept.delete(mark)));
    },
  };
}

/** Whether work has not ended yet, in whichever process. */
export async function isUnderWay(kept: KeptValues, id: string): Promise<boolean> {
  const beatAt = (await kept.get(beatOf(id))) as number | undefined;
  return beatAt !== undefined && unixTime() - beatAt <= maxBeatAgeSeconds;
}

/** Aborts work, in whichever process, and waits until it has ended. @throws InferenceError `overloaded` if that takes too long */
export async function stopWork(kept: KeptValues, id: string): Promise<void> {
  const own = ownWork.get(id);
  if (own) own.abort();
  else if (await isUnderWay(kept, id)) await kept.set(stopOf(id), 'true');
  const endsAt = performance.now() + stopMs;
  while (await isUnderWay(kept, id)) {
    if (performance.now() < endsAt) await sleep(pollMs);
    else {
      const message = 'The process that runs the response was asked to stop it, and has not yet. Ask again.';
      throw new InferenceError('overloaded', message, { retryAfterSeconds: 1 });
    }
  }
}
