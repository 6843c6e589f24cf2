import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred, type Deferred } from '../concurrency/deferred.ts';
import type { KeptWork, ResponseStore } from '../contracts/caller.ts';
import { InferenceError } from '../errors.ts';

interface OwnWork {
  readonly controller: AbortController;
  readonly ended: Deferred;
}

/** The work of this process, by the keys of its values. */
export type OwnWorks = Map<string, OwnWork>;

export interface WorkSurroundings {
  readonly own: OwnWorks;
  /** The store, where other processes have it too. */
  readonly shared: ResponseStore | undefined;
  readonly keyOf: (id: string) => string;
  /** Bounds the time of a question, and makes its failure an `overloaded`. */
  readonly ask: <Answer>(question: () => Promise<Answer>) => Promise<Answer>;
}

const beatMs = 1000;
/** Work whose last beat is older has ended with its process. */
const beatExpirySeconds = 15;
const stopExpirySeconds = 60;
const pollMs = 200;
const stopMs = 10_000;

/**
 * The work of one caller. A process that shares its store tells others by a mark that it beats; the others ask it by a
 * second mark to stop.
 */
export function createKeptWork({ own, shared, keyOf, ask }: WorkSurroundings): KeptWork {
  const beatKeyOf = (id: string): string => keyOf(`${id}.beat`);
  const stopKeyOf = (id: string): string => keyOf(`${id}.stop`);
  const isUnderWay = async (id: string): Promise<boolean> =>
    own.has(keyOf(id)) || (shared !== undefined && (await ask(() => shared.get(beatKeyOf(id)))) != null);

  return {
    isUnderWay,
    async begin(id) {
      const work: OwnWork = { controller: new AbortController(), ended: createDeferred() };
      const { signal } = work.controller;
      const beat = async (store: ResponseStore): Promise<void> => {
        await ask(() => store.set(beatKeyOf(id), '1', beatExpirySeconds));
        if (!signal.aborted && (await ask(() => store.get(stopKeyOf(id)))) != null) work.controller.abort();
      };
      let hasEnded = false;
      const beatOn = async (store: ResponseStore): Promise<void> => {
        await sleep(beatMs, undefined, { ref: false });
        if (hasEnded) return;
        // A store that fails now may answer the next time.
        await beat(store).catch(() => undefined);
        void beatOn(store);
      };
      if (shared) {
        await beat(shared);
        void beatOn(shared);
      }
      own.set(keyOf(id), work);
      return {
        signal,
        async end() {
          hasEnded = true;
          if (shared) {
            // Marks that are left expire.
            const marks = [beatKeyOf(id), stopKeyOf(id)];
            await Promise.allSettled(marks.map((mark) => ask(() => shared.delete(mark))));
          }
          own.delete(keyOf(id));
          work.ended.resolve();
        },
      };
    },
    async stop(id) {
      const here = own.get(keyOf(id));
      if (here || !shared) {
        here?.controller.abort();
        await here?.ended.promise;
        return;
      }
      if (!(await isUnderWay(id))) return;
      await ask(() => shared.set(stopKeyOf(id), '1', stopExpirySeconds));
      const endsAt = performance.now() + stopMs;
      while (await isUnderWay(id)) {
        if (performance.now() >= endsAt) throw notStopped();
        await sleep(pollMs);
      }
    },
  };
}

function notStopped(): InferenceError {
  const message = 'The process that runs the response was asked to stop it, and has not yet. Ask again.';
  return new InferenceError('overloaded', message, { retryAfterSeconds: 1 });
}
