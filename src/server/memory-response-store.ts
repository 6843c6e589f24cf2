import { Buffer } from 'node:buffer';
import type { ResponseStore } from '../contracts/caller.ts';
import { getOrCreate } from '../core/get-or-create.ts';

interface Kept {
  readonly caller: string;
  readonly texts: Map<string, { readonly text: string; readonly bytes: number }>;
  expiresAt: number;
}

interface Share {
  count: number;
  bytes: number;
}

/** Memory overhead of a text. */
const overheadBytes = 256;

/**
 * In memory. Beyond the limits, the largest caller loses its least recently used response or conversation, so that callers can't
 * evict each other's.
 */
export class MemoryResponseStore implements ResponseStore {
  readonly #limits: { readonly maxCount: number; readonly maxBytes: number };
  readonly #now: () => number;
  /** By id, least recently used first. */
  readonly #all = new Map<string, Kept>();
  readonly #shares = new Map<string, Share>();
  readonly #total: Share = { count: 0, bytes: 0 };

  /** @param limits `maxCount` counts responses and conversations @param now in milliseconds; default: the system clock */
  constructor(limits: { maxCount: number; maxBytes: number }, now: () => number = Date.now) {
    [this.#limits, this.#now] = [limits, now];
  }

  async get(key: string): Promise<string | undefined> {
    const id = idOf(key);
    const kept = this.#all.get(id);
    if (kept === undefined || kept.expiresAt <= this.#now()) return undefined;
    this.#all.delete(id);
    this.#all.set(id, kept);
    return kept.texts.get(key)?.text;
  }

  async set(key: string, text: string, expirySeconds: number): Promise<void> {
    // In one step, so that no reader finds the text missing.
    this.#drop(key);
    const now = this.#now();
    for (const [id, { expiresAt }] of this.#all) {
      if (expiresAt > now) break;
      this.#remove(id);
    }
    const id = idOf(key);
    const bytes = Buffer.byteLength(text) + overheadBytes;
    const kept = this.#all.get(id) ?? {
      caller: id.slice(0, id.lastIndexOf(':')),
      texts: new Map(),
      expiresAt: 0,
    };
    if (!this.#all.delete(id)) this.#count(kept.caller, 1, 0);
    this.#all.set(id, kept);
    kept.texts.set(key, { text, bytes });
    kept.expiresAt = now + expirySeconds * 1000;
    this.#count(kept.caller, 0, bytes);
    this.#makeRoom();
  }

  async delete(key: string): Promise<void> {
    this.#drop(key);
  }

  #drop(key: string): void {
    const kept = this.#all.get(idOf(key));
    const { bytes = 0 } = kept?.texts.get(key) ?? {};
    if (!kept?.texts.delete(key)) return;
    this.#count(kept.caller, 0, -bytes);
    if (kept.texts.size === 0) this.#remove(idOf(key));
  }

  #remove(id: string): void {
    const { caller, texts } = this.#all.get(id)!;
    this.#all.delete(id);
    const bytes = [...texts.values()].reduce((sum, text) => sum + text.bytes, 0);
    this.#count(caller, -1, -bytes);
  }

  #count(caller: string, count: number, bytes: number): void {
    const share = getOrCreate(this.#shares, caller, () => ({ count: 0, bytes: 0 }));
    for (const sum of [this.#total, share]) {
      sum.count += count;
      sum.bytes += bytes;
    }
    if (share.count === 0) this.#shares.delete(caller);
  }

  #makeRoom(): void {
    const { maxCount, maxBytes } = this.#limits;
    while (this.#total.count > maxCount || this.#total.bytes > maxBytes) {
      const name = this.#total.bytes > maxBytes ? 'bytes' : 'count';
      const [largest] = [...this.#shares].reduce((max, one) => (one[1][name] > max[1][name] ? one : max));
      for (const [id, { caller }] of this.#all) {
        if (caller !== largest) continue;
        this.#remove(id);
        break;
      }
    }
  }
}

/** The key up to the first part name: `…:conv_1` for `…:conv_1.item.msg_1`. */
function idOf(key: string): string {
  const [name] = key.slice(key.lastIndexOf(':')).split('.', 1);
  return key.slice(0, key.lastIndexOf(':')) + name!;
}
