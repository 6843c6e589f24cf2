import { Buffer } from 'node:buffer';
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import type { CallerState, KeptValues, ResponseStore } from '../contracts/caller.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { describeValue } from '../core/text/quote.ts';
import { InferenceError, orElse } from '../errors.ts';
import { unixTime } from '../http/headers.ts';
import { parseBytes } from '../http/parse-in-thread.ts';
import { createKeptWork, type OwnWorks } from './kept-work.ts';
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
  const shared: SharedState = { works: new Map(), changes: new Map(), written: new Map() };
  return (owner, planName = '') => {
    const caller = [planName, owner ?? ''].map(encodeURIComponent).join(':');
    return {
      kept: keeping && new StoredValues(caller, owner, keeping, shared),
      ...sealersOf(caller),
    };
  };
}

/** What all requests of a process share. */
interface SharedState {
  readonly works: OwnWorks;
  /** The last change of each value, by its key. */
  readonly changes: Map<string, Promise<unknown>>;
  /** The bytes that each caller has written since a time, the earliest first. */
  readonly written: Map<string, { readonly since: number; bytes: number }>;
}

const message = "The store of responses doesn't answer at the moment.";
/** A text of that length is read and written in a turn of its own. */
const longText = 2 ** 14;
/** Values are kept so much longer than they are found: what others need must be renewed only as often. */
const renewalShare = 1 / 4;

class StoredValues implements KeptValues {
  readonly maxBytes: number;
  readonly work: KeptValues['work'];
  readonly #caller: string;
  readonly #owner: string | undefined;
  readonly #keeping: Keeping;
  readonly #shared: SharedState;

  constructor(caller: string, owner: string | undefined, keeping: Keeping, shared: SharedState) {
    [this.#caller, this.#owner, this.#keeping, this.#shared] = [caller, owner, keeping, shared];
    this.maxBytes = keeping.maxTextBytes;
    this.work = createKeptWork({
      own: shared.works,
      shared: keeping.isShared ? keeping.store : undefined,
      keyOf: (id) => this.#keyOf(id),
      ask: (question) => this.#ask(question),
    });
  }

  async get(id: string): Promise<unknown> {
    const text = await this.#read(id);
    if (text === undefined) return undefined;
    return parseBytes(new TextEncoder().encode(text)).catch((cause: unknown) => {
      throw hostFault(message, cause);
    });
  }

  async set(id: string, json: string): Promise<boolean> {
    if (Buffer.byteLength(json) > this.maxBytes) return false;
    await this.#write(id, json);
    return true;
  }

  async delete(id: string): Promise<void> {
    await this.#ask(() => this.#keeping.store.delete(this.#keyOf(id)));
  }

  async update(id: string, change: Parameters<KeptValues['update']>[1]): Promise<boolean> {
    const { changes } = this.#shared;
    const key = this.#keyOf(id);
    const changed = (changes.get(key) ?? Promise.resolve()).then(async () => {
      const value = await change(await this.get(id));
      if (value !== undefined) return this.set(id, JSON.stringify(value));
      await this.delete(id);
      return true;
    });
    const settled = changed
      .catch(() => undefined)
      .finally(() => {
        if (changes.get(key) === settled) changes.delete(key);
      });
    changes.set(key, settled);
    return changed;
  }

  isDue(writtenAt: number): boolean {
    return unixTime() - writtenAt >= this.#keeping.expirySeconds * renewalShare;
  }

  async renew(id: string): Promise<void> {
    const text = await this.#read(id);
    if (text !== undefined) await this.#write(id, text);
  }

  async #read(id: string): Promise<string | undefined> {
    const text: unknown = (await this.#ask(() => this.#keeping.store.get(this.#keyOf(id)))) ?? undefined;
    if (text !== undefined && typeof text !== 'string') {
      const fault = `keepResponses.store: expected a text of get, got ${describeValue(text)}`;
      throw hostFault(message, new TypeError(fault));
    }
    // A store in memory answers without a turn of the event loop.
    if (text !== undefined && text.length >= longText) await turns.next(this.#owner);
    return text;
  }

  async #write(id: string, text: string): Promise<void> {
    const { store, expirySeconds, isShared } = this.#keeping;
    if (isShared) this.#count(Buffer.byteLength(text));
    if (text.length >= longText) await turns.next(this.#owner);
    const seconds = Math.ceil(expirySeconds * (1 + renewalShare));
    await this.#ask(() => store.set(this.#keyOf(id), text, seconds));
  }

  /** A store of the host has no bounds for one key, and its texts end by themselves. */
  #count(bytes: number): void {
    const { written } = this.#shared;
    const { expirySeconds, maxBytesPerKey } = this.#keeping;
    for (const [caller, { since }] of written) {
      if (unixTime() - since < expirySeconds) break;
      written.delete(caller);
    }
    const own = getOrCreate(written, this.#caller, () => ({ since: unixTime(), bytes: 0 }));
    if (own.bytes + bytes > maxBytesPerKey) {
      const text = `This key has written ${maxBytesPerKey} bytes of responses and conversations, which is the most in ${expirySeconds} s.`;
      const retryAfterSeconds = own.since + expirySeconds - unixTime();
      throw new InferenceError('rate_limited', text, { retryAfterSeconds });
    }
    own.bytes += bytes;
  }

  #keyOf(id: string): string {
    return `slashv1:responses:${this.#caller}:${encodeURIComponent(id)}`;
  }

  #ask<Answer>(question: () => Answer | Promise<Answer>): Promise<Answer> {
    return askHost(question, { timeoutMs: this.#keeping.timeoutMs, message });
  }
}
