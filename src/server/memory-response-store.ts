import { Buffer } from 'node:buffer';
import type { ResponseStore } from '../contracts/caller.ts';
import { getOrCreate } from '../core/get-or-create.ts';

interface Entry {
  readonly text: string;
  readonly bytes: number;
  readonly expiresAt: number;
}

/** The texts of one caller, the oldest first. */
interface Share {
  readonly keys: Set<string>;
  bytes: number;
}

/**
 * Keeps texts in the memory of this process. Where they become too many, the caller who has most loses the oldest: nobody can
 * drive out the texts of others.
 * @param now in milliseconds; default the system's clock
 */
export function createMemoryResponseStore(
  { maxCount, maxBytes }: { maxCount: number; maxBytes: number },
  now: () => number = Date.now,
): ResponseStore {
  const entries = new Map<string, Entry>();
  const shares = new Map<string, Share>();
  let total = 0;

  const remove = (key: string): void => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    total -= entry.bytes;
    const caller = callerOf(key);
    const share = shares.get(caller)!;
    share.keys.delete(key);
    share.bytes -= entry.bytes;
    if (share.keys.size === 0) shares.delete(caller);
  };
  const removeExpired = (): void => {
    const time = now();
    for (const [key, { expiresAt }] of entries) {
      if (expiresAt > time) break;
      remove(key);
    }
  };
  const isFull = (): boolean => entries.size > maxCount || total > maxBytes;
  const makeRoom = (): void => {
    while (isFull()) {
      const sizeOf = ({ keys, bytes }: Share): number => (total > maxBytes ? bytes : keys.size);
      const largest = [...shares.values()].reduce((most, share) =>
        sizeOf(share) > sizeOf(most) ? share : most,
      );
      const [oldest] = largest.keys;
      remove(oldest!);
    }
  };

  return {
    async get(key) {
      const entry = entries.get(key);
      return entry !== undefined && entry.expiresAt > now() ? entry.text : undefined;
    },
    async set(key, text, expirySeconds) {
      remove(key);
      removeExpired();
      const bytes = Buffer.byteLength(text);
      entries.set(key, { text, bytes, expiresAt: now() + expirySeconds * 1000 });
      total += bytes;
      const share = getOrCreate(shares, callerOf(key), () => ({ keys: new Set<string>(), bytes: 0 }));
      share.keys.add(key);
      share.bytes += bytes;
      makeRoom();
    },
    async delete(key) {
      remove(key);
    },
  };
}

function callerOf(key: string): string {
  return key.slice(0, key.lastIndexOf(':'));
}
