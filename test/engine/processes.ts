import { readdirSync, readFileSync } from 'node:fs';
import { vi } from 'vitest';

/** Whether a process runs; one that has ended and waits for its parent to notice doesn't. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  if (process.platform !== 'linux') return true;
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, 'utf8'));
  } catch {
    return false;
  }
}

/** The worker processes of this one; on Linux alone. */
export function workersHere(): number[] {
  return workersOf('self');
}

/** The worker processes of a host; on Linux alone. */
export function workersOf(host: number | 'self'): number[] {
  const tasks = readdirSync(`/proc/${host}/task`).map((task) =>
    readFileSync(`/proc/${host}/task/${task}/children`, 'utf8'),
  );
  const children = tasks.join(' ').split(/\s+/).filter(Boolean).map(Number);
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker.js'));
}

/** Resident memory of a process in MiB; on Linux alone. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Retries until `attempt` succeeds. */
export function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 15_000, interval: 20 });
}
