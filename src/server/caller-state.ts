import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CallerState, KeptValues, ResponseStore } from '../contracts/caller.ts';
import { describeValue } from '../core/text/quote.ts';
import { orElse } from '../errors.ts';
import { parseBytes } from '../http/parse-in-thread.ts';
import { createKeptWork, type OwnWorks } from './kept-work.ts';
import { askHost, hostFault } from './print-internal.ts';

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
  const message = "The store of responses doesn't answer at the moment.";
  const ask = <Answer>(question: () => Answer | Promise<Answer>): Promise<Answer> =>
    askHost(question, { timeoutMs, message });
  const kept: KeptValues = {
    maxBytes: maxTextBytes,
    async get(id) {
      const text: unknown = (await ask(() => store.get(keyOf(id)))) ?? undefined;
      if (text === undefined) return undefined;
      try {
        if (typeof text === 'string') return await parseBytes(new TextEncoder().encode(text), caller);
        throw new TypeError(`keepResponses.store: expected a text of get, got ${describeValue(text)}`);
      } catch (cause) {
        throw hostFault(message, cause);
      }
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
