import { readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { delay } from './retry.ts';
import { readJsonFile } from '../folder/json.ts';

const pollMs = 200;
const heartbeatMs = 5_000;
const staleMs = 30_000;

interface Owner {
  readonly pid: number;
  readonly host: string;
}

/**
 * Runs a task while no other process runs it. A lock whose owner has died or been silent for 30 s is taken over; if two
 * processes do that simultaneously, both continue: the lock saves work, it doesn't protect data.
 */
export async function withFileLock<T>(
  path: string,
  task: () => Promise<T>,
  { signal }: { signal?: AbortSignal | undefined } = {},
): Promise<T> {
  while (!(await acquire(path))) {
    if (await isStale(path)) await rm(path, { force: true });
    else await delay(pollMs, signal);
  }
  const heartbeat = setInterval(() => {
    const now = new Date();
    utimes(path, now, now).catch(() => undefined);
  }, heartbeatMs);
  heartbeat.unref();
  try {
    return await task();
  } finally {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  }
}

/** Ids of the processes that hold a lock in a folder, on any machine. */
export async function lockOwners(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => []);
  const owners = names.map(async (name) => {
    const path = join(folder, name);
    const owner = await readOwner(path);
    return owner && !(await isStale(path)) ? [owner.pid] : [];
  });
  return [...new Set((await Promise.all(owners)).flat())];
}

/** `undefined` if the lock was just released, isn't written yet, or belongs to a different program. */
const readOwner = readJsonFile as (path: string) => Promise<Owner | undefined>;

async function acquire(path: string): Promise<boolean> {
  const owner: Owner = { pid: process.pid, host: hostname() };
  try {
    await writeFile(path, JSON.stringify(owner), { flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isStale(path: string): Promise<boolean> {
  try {
    const { mtimeMs } = await stat(path);
    if (Date.now() - mtimeMs > staleMs) return true;
    const owner = await readOwner(path);
    return owner?.host === hostname() && !isAlive(owner.pid);
  } catch {
    // Just released; the next attempt will succeed.
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
