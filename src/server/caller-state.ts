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
/** Recommended by NIST SP 800-38D. */
const ivBytes = 12;
const authTagLength = 16;

export interface Keeping {
  readonly store: ResponseStore;
  /** The store belongs to the host and may be shared with more processes. */
  readonly isShared: boolean;
  readonly expirySeconds: number;
  readonly timeoutMs: number;
  /** Max bytes of one text (UTF-8). */
  readonly maxTextBytes: number;
  /** Max bytes that this process writes to a shared store for one key, within `expirySeconds`. */
  readonly maxBytesPerKey: number;
}

export type CallerStates = (owner: string | undefined, planName: string | undefined) => CallerState;

/** Texts are encrypted per caller, who can't read or change them or pass them to a different caller. */
export function createCallerStates(keeping: Keeping | undefined, secret: string | undefined): CallerStates {
  const key =
    secret === undefined
      ? randomBytes(keyBytes)
      : Buffer.from(hkdfSync('sha256', secret, '', 'slashv1 reasoning', keyBytes));
  const shared: SharedWrites = { changes: new Map(), written: new Map() };
  return (owner, planName = '') => {
    const caller = [planName, owner ?? ''].map(encodeURIComponent).join(':');
    return {
      kept: keeping && new KeptStore({ caller, owner }, keeping, shared),
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
    };
  };
}

interface SharedWrites {
  readonly changes: Map<string, Promise<unknown>>;
  /** Bytes written per caller since a time, earliest first. */
  readonly written: Map<string, { readonly since: number; bytes: number }>;
}

/** Total length of texts handled in one turn of the event loop: an in-memory store answers without yielding. */
const turnLength = 2 ** 14;
/** Overhead per text: key, timer, promises. */
const overheadLength = 2 ** 9;
/** Texts are stored longer than they are valid by this share, to reduce renewals. */
const renewalShare = 1 / 4;

const storeFault = "The response store isn't available at the moment.";

class KeptStore implements KeptValues {
  readonly maxBytes: number;
  readonly #caller: string;
  readonly #owner: string | undefined;
  readonly #keeping: Keeping;
  readonly #shared: SharedWrites;
  #lengthInTurn = 0;

  constructor(
    { caller, owner }: { readonly caller: string; readonly owner: string | undefined },
    keeping: Keeping,
    shared: SharedWrites,
  ) {
    this.maxBytes = keeping.maxTextBytes;
    this.#caller = caller;
    this.#owner = owner;
    this.#keeping = keeping;
    this.#shared = shared;
  }

  async get(id: string): Promise<unknown> {
    const text = await this.#read(id);
    if (text === undefined) return undefined;
    return parseBytes(new TextEncoder().encode(text)).catch((cause: unknown) => {
      throw hostFault(storeFault, cause);
    });
  }

  async set(id: string, json: string): Promise<boolean> {
    if (Buffer.byteLength(json) > this.#keeping.maxTextBytes) return false;
    await this.#write(id, json);
    return true;
  }

  async delete(id: string): Promise<void> {
    await this.#takeTurn(0);
    await this.#ask(() => this.#keeping.store.delete(this.#keyOf(id)));
  }

  async update(id: string, change: (value: unknown) => Promise<object | undefined>): Promise<boolean> {
    const key = this.#keyOf(id);
    const changed = (this.#shared.changes.get(key) ?? Promise.resolve()).then(async () => {
      const value = await change(await this.get(id));
      if (value !== undefined) return this.set(id, JSON.stringify(value));
      await this.delete(id);
      return true;
    });
    const settled = changed
      .catch(() => undefined)
      .finally(() => {
        if (this.#shared.changes.get(key) === settled) this.#shared.changes.delete(key);
      });
    this.#shared.changes.set(key, settled);
    return changed;
  }

  isDue(writtenAt: number): boolean {
    return unixTime() - writtenAt >= this.#keeping.expirySeconds * renewalShare;
  }

  async renew(id: string): Promise<void> {
    const text = await this.#read(id);
    if (text !== undefined) await this.#write(id, text);
  }

  #keyOf(id: string): string {
    return `slashv1:responses:${this.#caller}:${encodeURIComponent(id)}`;
  }

  #ask<Answer>(question: () => Answer | Promise<Answer>): Promise<Answer> {
    return askHost(question, { timeoutMs: this.#keeping.timeoutMs, message: storeFault });
  }

  async #takeTurn(length: number): Promise<void> {
    this.#lengthInTurn += length + overheadLength;
    if (this.#lengthInTurn < turnLength) return;
    this.#lengthInTurn = 0;
    await turns.next(this.#owner);
  }

  async #read(id: string): Promise<string | undefined> {
    const text: unknown = (await this.#ask(() => this.#keeping.store.get(this.#keyOf(id)))) ?? undefined;
    if (text !== undefined && typeof text !== 'string') {
      const fault = `keepResponses.store: expected a text of get, got ${describeValue(text)}`;
      throw hostFault(storeFault, new TypeError(fault));
    }
    await this.#takeTurn(text?.length ?? 0);
    return text;
  }

  /** A host's store has no per-key limits, and its texts expire on their own. */
  #count(bytes: number): void {
    const now = unixTime();
    for (const [first, { since }] of this.#shared.written) {
      if (now - since < this.#keeping.expirySeconds) break;
      this.#shared.written.delete(first);
    }
    const own = getOrCreate(this.#shared.written, this.#caller, () => ({ since: now, bytes: 0 }));
    own.bytes += bytes;
    if (own.bytes <= this.#keeping.maxBytesPerKey) return;
    own.bytes -= bytes;
    const reason = `This key may write ${this.#keeping.maxBytesPerKey} bytes of responses and conversations per ${this.#keeping.expirySeconds} s.`;
    throw new InferenceError('rate_limited', reason, {
      retryAfterSeconds: own.since + this.#keeping.expirySeconds - now,
    });
  }

  async #write(id: string, text: string): Promise<void> {
    if (this.#keeping.isShared) this.#count(Buffer.byteLength(text));
    await this.#takeTurn(text.length);
    await this.#ask(() =>
      this.#keeping.store.set(
        this.#keyOf(id),
        text,
        Math.ceil(this.#keeping.expirySeconds * (1 + renewalShare)),
      ),
    );
  }
}
