import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CallerState, KeptValues, ResponseStore } from '../contracts/caller.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { describeValue } from '../core/text/quote.ts';
import { InferenceError, orElse } from '../errors.ts';
import { unixTime } from '../http/headers.ts';
import { parseBytes } from '../http/parse-in-thread.ts';
import { askHost, hostFault } from './print-internal.ts';
import { turns } from './request-budget.ts';

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
  /** Whether the store is the host's, so that other processes may have it, too. */
  readonly isShared: boolean;
  readonly expirySeconds: number;
  readonly timeoutMs: number;
  /** Max size of one text, in bytes of UTF-8. */
  readonly maxTextBytes: number;
  /** Max bytes that this process writes to a shared store for one key, within `expirySeconds`. */
  readonly maxBytesPerKey: number;
}

/** Finds the state of a key's owner within its plan. @param owner everybody if left out */
export type CallerStates = (owner: string | undefined, planName: string | undefined) => CallerState;

/** @param keeping where values are kept; nowhere if left out */
export function createCallerStates(keeping: Keeping | undefined, secret: string | undefined): CallerStates {
  const sealersOf = createSealers(secret);
  const surroundings: Surroundings = { changes: new Map(), written: new Map() };
  return (owner, planName = '') => {
    const caller = [planName, owner ?? ''].map(encodeURIComponent).join(':');
    const kept = keeping && keptValues({ caller, owner }, keeping, surroundings);
    return { kept, ...sealersOf(caller) };
  };
}

/** What all requests of a process share. */
interface Surroundings {
  /** The last change of each value, by its key. */
  readonly changes: Map<string, Promise<unknown>>;
  /** The bytes that a caller has written since a time, the earliest first. */
  readonly written: Map<string, { readonly since: number; bytes: number }>;
}

/** Texts of that length, together, are read and written in one turn of the event loop: a store in memory answers without one. */
const turnLength = 2 ** 14;
/** What a text takes beside its length: its key, a timer, promises. */
const overheadLength = 2 ** 9;
/** A text is kept longer than it is found by that share, so that it needs no renewal until then. */
const renewalShare = 1 / 4;

function keptValues(
  { caller, owner }: { readonly caller: string; readonly owner: string | undefined },
  { store, isShared, expirySeconds, timeoutMs, maxTextBytes, maxBytesPerKey }: Keeping,
  { changes, written }: Surroundings,
): KeptValues {
  let lengthInTurn = 0;
  const keyOf = (id: string): string => `slashv1:responses:${caller}:${encodeURIComponent(id)}`;
  const message = "The store of responses doesn't answer at the moment.";
  const ask = <Answer>(question: () => Answer | Promise<Answer>): Promise<Answer> =>
    askHost(question, { timeoutMs, message });
  const takeTurn = async (length: number): Promise<void> => {
    lengthInTurn += length + overheadLength;
    if (lengthInTurn < turnLength) return;
    lengthInTurn = 0;
    await turns.next(owner);
  };
  const read = async (id: string): Promise<string | undefined> => {
    const text: unknown = (await ask(() => store.get(keyOf(id)))) ?? undefined;
    if (text !== undefined && typeof text !== 'string') {
      const fault = `keepResponses.store: expected a text of get, got ${describeValue(text)}`;
      throw hostFault(message, new TypeError(fault));
    }
    await takeTurn(text?.length ?? 0);
    return text;
  };
  /** A store of the host knows no keys, and its texts end by themselves. */
  const count = (bytes: number): void => {
    const now = unixTime();
    for (const [first, { since }] of written) {
      if (now - since < expirySeconds) break;
      written.delete(first);
    }
    const own = getOrCreate(written, caller, () => ({ since: now, bytes: 0 }));
    own.bytes += bytes;
    if (own.bytes <= maxBytesPerKey) return;
    own.bytes -= bytes;
    const reason = `This key may write ${maxBytesPerKey} bytes of responses and conversations in ${expirySeconds} s.`;
    throw new InferenceError('rate_limited', reason, { retryAfterSeconds: own.since + expirySeconds - now });
  };
  const write = async (id: string, text: string): Promise<void> => {
    if (isShared) count(Buffer.byteLength(text));
    await takeTurn(text.length);
    await ask(() => store.set(keyOf(id), text, Math.ceil(expirySeconds * (1 + renewalShare))));
  };
  const kept: KeptValues = {
    maxBytes: maxTextBytes,
    async get(id) {
      const text = await read(id);
      if (text === undefined) return undefined;
      return parseBytes(new TextEncoder().encode(text)).catch((cause: unknown) => {
        throw hostFault(message, cause);
      });
    },
    async set(id, json) {
      if (Buffer.byteLength(json) > maxTextBytes) return false;
      await write(id, json);
      return true;
    },
    async delete(id) {
      await takeTurn(0);
      await ask(() => store.delete(keyOf(id)));
    },
    async update(id, change) {
      const key = keyOf(id);
      const changed = (changes.get(key) ?? Promise.resolve()).then(async () => {
        const value = await change(await kept.get(id));
        if (value !== undefined) return kept.set(id, JSON.stringify(value));
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
    isDue: (writtenAt) => unixTime() - writtenAt >= expirySeconds * renewalShare,
    async renew(id) {
      const text = await read(id);
      if (text !== undefined) await write(id, text);
    },
  };
  return kept;
}
