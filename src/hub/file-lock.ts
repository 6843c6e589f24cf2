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
 * Does something while no other process does it. A lock whose owner has died or has been silent for 30 s is taken over; should
 * two processes do that at the same moment, both go on: the lock spares work, it doesn't guard data.
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

/** Ids of the processes that hold a lock in a folder, on this machine or another one. */
export async function lockOwners(folder: string): Promise<readonly number[]> {
  const names = await readdir(folder).catch(() => []);
  const owners = names.map(async (name) => {
    const path = join(folder, name);
    const owner = await readOwner(path);
    return owner && !(await isStale(path)) ? [owner.pid] : [];
  });
  return [...new Set((await Promise.all(owners)).flat())];
}

/** None where it is given back meanwhile, not yet written, or the lock of another program. */
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
    // Given back meanwhile; the next attempt finds out.
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
