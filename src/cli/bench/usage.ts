import { readdirSync, readFileSync } from 'node:fs';
import { sum } from './statistics.ts';

const ticksPerSecond = 100;

/** Processor time and memory of processes. */
export interface Usage {
  /** Processor time of all threads. */
  readonly cpuSeconds: number;
  /** The sum of the largest resident sizes that each process had. */
  readonly peakBytes: number;
}

/** The usage of this process and, on Linux, of all processes that it started and that still run. */
export function readUsage(): Usage {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const own = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakBytes: maxRSS * 1024 };
  if (process.platform !== 'linux') return own;
  const all = [own, ...childrenOf(process.pid).map(readProcess)];
  return {
    cpuSeconds: sum(all.map((one) => one.cpuSeconds)),
    peakBytes: sum(all.map((one) => one.peakBytes)),
  };
}

function childrenOf(id: number): number[] {
  const children = readdirSync(`/proc/${id}/task`).flatMap((task) =>
    readFileSync(`/proc/${id}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.concat(children.flatMap(childrenOf));
}

function readProcess(id: number): Usage {
  const statistics = readFileSync(`/proc/${id}/stat`, 'utf8');
  // The fields after the name, which is in parentheses and may have spaces: 11 and 12 are the user and system time.
  const fields = statistics.slice(statistics.lastIndexOf(')') + 2).split(' ');
  const kibibytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    peakBytes: kibibytes * 1024,
  };
}
