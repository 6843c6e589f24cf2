import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { withinTime } from '../concurrency/within-time.ts';
import type { CallerState, KeptValues, ResponseStore, KeptWork } from '../contracts/caller.ts';
import { InferenceError, orElse } from '../errors.ts';
import { parseBytes } from '../http/parse-in-thread.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { createDeferred, type Deferred } from '../concurrency/deferred.ts';

interface OwnWork {
  readonly controller: AbortController;
  readonly ended: Deferred;
}

/** The work of this process, by the keys of its values. */
type OwnWorks = Map<string, OwnWork>;

interface WorkSurroundings {
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
function createKeptWork({ own, shared, keyOf, ask }: WorkSurroundings): KeptWork {
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
      let timer: NodeJS.Timeout | undefined;
      const beatLater = (store: ResponseStore): void => {
        if (hasEnded) return;
        timer = setTimeout(() => {
          // A store that fails now may answer the next time.
          void beat(store)
            .catch(() => undefined)
            .then(() => beatLater(store));
        }, beatMs).unref();
      };
      if (shared) {
        await beat(shared);
        beatLater(shared);
      }
      own.set(keyOf(id), work);
      return {
        signal,
        async end() {
          hasEnded = true;
          clearTimeout(timer);
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

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
/** Lengths that NIST SP 800-38D recommends. */
const ivBytes = 12;
const authTagLength = 16;

/** Makes what encrypts texts for one caller each, who can neither read nor change them, nor hand them to another caller. */
function createSealers(secret?: string): (caller: string) => Pick<CallerState, 'seal' | 'unseal'> {
  const key =
    secret === undefined
      ? randomBytes(keyBytes)
      : Buffer.from(hkdfSync('sha256', secret, '', 'slashv1 reasoning', keyBytes));
  return (caller) => ({
    seal(text) {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv, { authTagLength }).setAAD(Buffer.from(caller));
      const encrypted = [cipher.update(text, 'utf8'), cipher.final()];
      return Buffer.concat([iv, cipher.getAuthTag(), ...encrypted]).toString('base64');
    },
    unseal(sealed) {
      const bytes = Buffer.from(sealed, 'base64');
      const start = ivBytes + authTagLength;
      if (bytes.length < start) return undefined;
      const decipher = createDecipheriv(algorithm, key, bytes.subarray(0, ivBytes), { authTagLength })
        .setAAD(Buffer.from(caller))
        .setAuthTag(bytes.subarray(ivBytes, start));
      const text = decipher.update(bytes.subarray(start));
      return orElse(() => Buffer.concat([text, decipher.final()]).toString('utf8'), undefined);
    },
  });
}

export interface Keeping {
  readonly store: ResponseStore;
  /** Whether other processes have the store, too. */
  readonly isShared: boolean;
  readonly expirySeconds: number;
  readonly timeoutMs: number;
  /** Most of one text, as UTF-8. */
  readonly maxTextBytes: number;
}

/** Finds the state of a key's owner within its plan. @param owner everybody if left out */
export type CallerStates = (owner: string | undefined, planName: string | undefined) => CallerState;

/** @param keeping where values are kept; nowhere if left out */
export function createCallerStates(keeping: Keeping | undefined, secret: string | undefined): CallerStates {
  const sealersOf = createSealers(secret);
  const works: OwnWorks = new Map();
  const changes: Changes = new Map();
  return (owner = '', planName = '') => {
    const caller = [planName, owner].map(encodeURIComponent).join(':');
    return { kept: keeping && keptValues(caller, keeping, { works, changes }), ...sealersOf(caller) };
  };
}

/** The last change of each value, by its key. */
type Changes = Map<string, Promise<unknown>>;

function keptValues(
  caller: string,
  { store, isShared, expirySeconds, timeoutMs, maxTextBytes }: Keeping,
  { works, changes }: { works: OwnWorks; changes: Changes },
): KeptValues {
  const keyOf = (id: string): string => `slashv1:responses:${caller}:${encodeURIComponent(id)}`;
  const ask = async <Answer>(question: () => Promise<Answer>): Promise<Answer> => {
    const message = "The store of responses doesn't answer at the moment.";
    return withinTime(question(), timeoutMs).catch((cause: unknown) => {
      throw new InferenceError('overloaded', message, { cause });
    });
  };
  const kept: KeptValues = {
    maxBytes: maxTextBytes,
    async get(id) {
      const text = await ask(() => store.get(keyOf(id)));
      return text == null ? undefined : parseBytes(new TextEncoder().encode(text));
    },
    async set(id, value) {
      const text = JSON.stringify(value);
      if (Buffer.byteLength(text) > maxTextBytes) return false;
      await ask(() => store.set(keyOf(id), text, expirySeconds));
      return true;
    },
    async delete(id) {
      await ask(() => store.delete(keyOf(id)));
    },
    async update(id, change) {
      const key = keyOf(id);
      const changed = (changes.get(key) ?? Promise.resolve()).then(async () => {
        const value = change(await kept.get(id));
        if (value !== undefined) return kept.set(id, value);
        await kept.delete(id);
        return true;
      });
      const settled = changed
        .catch(() => undefined)
        .finally(() => {
          if (changes.get(key) === settled) changes.delete(key);
        });
      changes.set(key, settled);
      return changed;
    },
    work: createKeptWork({ own: works, shared: isShared ? store : undefined, keyOf, ask }),
  };
  return kept;
}
