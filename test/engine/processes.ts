import { execSync } from 'node:child_process';
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

/** The worker processes of this one. */
export function workersHere(): number[] {
  return workersOf(process.pid);
}

/** The worker processes of a host; on Linux without another program. */
export function workersOf(host: number): number[] {
  if (process.platform !== 'linux') return workersByCommand(host);
  const tasks = readdirSync(`/proc/${host}/task`).map((task) =>
    readFileSync(`/proc/${host}/task/${task}/children`, 'utf8'),
  );
  const children = tasks.join(' ').split(/\s+/).filter(Boolean).map(Number);
  return children.filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('worker.js'));
}

function workersByCommand(host: number): number[] {
  const list =
    process.platform === 'win32'
      ? `Get-CimInstance Win32_Process | ForEach-Object { "$($_.ParentProcessId) $($_.ProcessId) $($_.CommandLine)" }`
      : 'ps -axo ppid=,pid=,args=';
  const shell = process.platform === 'win32' ? 'powershell' : '/bin/sh';
  const lines = execSync(list, { encoding: 'utf8', shell }).split('\n');
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter(([parent, , ...args]) => Number(parent) === host && args.join(' ').includes('worker.js'))
    .map(([, pid]) => Number(pid));
}

/** Resident memory of a process in MiB; on Linux alone. */
export function residentMiB(pid: number): number {
  return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024;
}

/** Retries until `attempt` succeeds. */
export function eventually<T>(attempt: () => T | Promise<T>): Promise<T> {
  return vi.waitFor(attempt, { timeout: 60_000, interval: 20 });
}
