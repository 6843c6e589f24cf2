import { readFileSync } from 'node:fs';
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

/** Retries until `attempt` succeeds. */
export function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 15_000, interval: 20 });
}
