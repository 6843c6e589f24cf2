import { readdirSync, readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * The processor time so far and the peak memory of this process and, on Linux, of all processes that it started: some
 * engines compute in a process of their own.
 *
 * @returns {{ cpuSeconds: number, peakMegabytes: number }}
 */
export function readUsage() {
  const { userCPUTime, systemCPUTime, maxRSS } = process.resourceUsage();
  const own = { cpuSeconds: (userCPUTime + systemCPUTime) / 1e6, peakMegabytes: (maxRSS * 1024) / 1e6 };
  if (process.platform !== 'linux') return own;
  return childrenOf(process.pid)
    .map(readProcess)
    .reduce(
      (sum, one) => ({
        cpuSeconds: sum.cpuSeconds + one.cpuSeconds,
        peakMegabytes: sum.peakMegabytes + one.peakMegabytes,
      }),
      own,
    );
}

/**
 * @param {number} id
 * @returns {number[]} also the children's children
 */
function childrenOf(id) {
  const children = readdirSync(`/proc/${id}/task`).flatMap((task) =>
    readFileSync(`/proc/${id}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return children.flatMap((child) => [child, ...childrenOf(child)]);
}

/** @param {number} id */
function readProcess(id) {
  const statistics = readFileSync(`/proc/${id}/stat`, 'utf8');
  // The fields after the name, which is in parentheses and may have spaces: 14 and 15 are the user and system time.
  const fields = statistics.slice(statistics.lastIndexOf(')') + 2).split(' ');
  const kibibytes = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]);
  return {
    cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
    peakMegabytes: (kibibytes * 1024) / 1e6,
  };
}
