import { Buffer } from 'node:buffer';
import type { ResponseStore } from '../contracts/caller.ts';
import { getOrCreate } from '../core/get-or-create.ts';

interface Text {
  readonly text: string;
  readonly bytes: number;
  readonly expiresAt: number;
}

/** A response or a conversation: the texts with its id. */
interface Kept {
  readonly id: string;
  readonly texts: Map<string, Text>;
  bytes: number;
}

/** What is kept for one caller, the least recently used first. */
interface Share {
  readonly all: Map<string, Kept>;
  bytes: number;
}

/** Memory that a text takes beside its characters. */
const overheadBytes = 256;

/**
 * Keeps texts in the memory of this process. Where they become too many, the caller who has most loses the responses and
 * conversations that were not used for longest, each as a whole: nobody can drive out the texts of others.
 */
export class MemoryResponseStore implements ResponseStore {
  readonly #limits: { readonly maxCount: number; readonly maxBytes: number };
  readonly #now: () => number;
  readonly #shares = new Map<string, Share>();
  /** When each response or conversation is over, in the order in which they were written last. */
  readonly #written = new Map<string, number>();
  #bytes = 0;

  /**
   * @param limits `maxCount` counts responses and conversations
   * @param now in milliseconds; default the system's clock
   */
  constructor(limits: { maxCount: number; maxBytes: number }, now: () => number = Date.now) {
    [this.#limits, this.#now] = [limits, now];
  }

  async get(key: string): Promise<string | undefined> {
    const { share, kept } = this.#find(key);
    const found = kept?.texts.get(key);
    if (found === undefined || found.expiresAt <= this.#now()) return undefined;
    share!.all.delete(kept!.id);
    share!.all.set(kept!.id, kept!);
    return found.text;
  }

  async set(key: string, text: string, expirySeconds: number): Promise<void> {
    await this.delete(key);
    this.#removeExpired();
    const { caller, id } = partsOf(key);
    const bytes = Buffer.byteLength(text) + overheadBytes;
    const expiresAt = this.#now() + expirySeconds * 1000;
    const share = getOrCreate(this.#shares, caller, (): Share => ({ all: new Map(), bytes: 0 }));
    const kept = share.all.get(id) ?? { id, texts: new Map(), bytes: 0 };
    share.all.delete(id);
    share.all.set(id, kept);
    kept.texts.set(key, { text, bytes, expiresAt });
    this.#written.delete(id);
    this.#written.set(id, expiresAt);
    this.#add(bytes, share, kept);
    this.#makeRoom();
  }

  async delete(key: string): Promise<void> {
    const { share, kept } = this.#find(key);
    const text = kept?.texts.get(key);
    if (text === undefined) return;
    kept!.texts.delete(key);
    this.#add(-text.bytes, share!, kept!);
    if (kept!.texts.size === 0) this.#remove(kept!.id);
  }

  #find(key: string): { share?: Share | undefined; kept?: Kept | undefined } {
    const { caller, id } = partsOf(key);
    const share = this.#shares.get(caller);
    return { share, kept: share?.all.get(id) };
  }

  #add(bytes: number, ...sums: { bytes: number }[]): void {
    this.#bytes += bytes;
    for (const sum of sums) sum.bytes += bytes;
  }

  #remove(id: string): void {
    const { caller } = partsOf(id);
    const share = this.#shares.get(caller)!;
    const kept = share.all.get(id)!;
    this.#add(-kept.bytes, share);
    share.all.delete(id);
    this.#written.delete(id);
    if (share.all.size === 0) this.#shares.delete(caller);
  }

  #removeExpired(): void {
    const time = this.#now();
    for (const [id, expiresAt] of this.#written) {
      if (expiresAt > time) break;
      this.#remove(id);
    }
  }

  #makeRoom(): void {
    const { maxCount, maxBytes } = this.#limits;
    const isTooLarge = (): boolean => this.#bytes > maxBytes;
    while (this.#written.size > maxCount || isTooLarge()) {
      const sizeOf = ({ all, bytes }: Share): number => (isTooLarge() ? bytes : all.size);
      const largest = [...this.#shares.values()].reduce((most, share) =>
        sizeOf(share) > sizeOf(most) ? share : most,
      );
      const [oldest] = largest.all.keys();
      this.#remove(oldest!);
    }
  }
}

/** The id is the key up to the name of a part: `…:conv_1` of `…:conv_1.4`. */
function partsOf(key: string): { caller: string; id: string } {
  const end = key.lastIndexOf(':');
  const [id] = key.slice(end).split('.', 1);
  const caller = key.slice(0, end);
  return { caller, id: caller + id! };
}
