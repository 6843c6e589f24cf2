import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * The processors that a worker computes on: all but one, which it leaves to the host and to other workers. Each worker of a
 * host leaves another one, so that not all of them compute on the same few while one stands idle.
 */
export function assignProcessors(
  processors: readonly number[],
  { threads = 1, place }: { threads?: number | undefined; place: number },
): readonly number[] {
  if (processors.length < 2 || threads >= processors.length) return processors;
  return processors.toSpliced(place % processors.length, 1);
}

/**
 * Keeps this process, all its threads included, off one of the processors that it may use, so that the host finds that one free
 * whenever it wakes up: a low priority alone lets a busy thread finish its time slice first. Does so on Linux where the program
 * `taskset` is there, and nothing elsewhere.
 */
export function leaveCore(options: Parameters<typeof assignProcessors>[1]): void {
  const processors = allowedProcessors();
  const assigned = assignProcessors(processors, options);
  if (assigned.length === processors.length) return;
  spawnSync('taskset', ['-a', '-c', '-p', assigned.join(','), String(process.pid)], { stdio: 'ignore' });
}

function allowedProcessors(): number[] {
  try {
    return parseProcessorList(
      /^Cpus_allowed_list:\s*(\S+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '',
    );
  } catch {
    return [];
  }
}

/** `0-2,5` → 0, 1, 2, 5, as the kernel writes sets of processors. */
export function parseProcessorList(list: string): number[] {
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    if (range === '' || first === undefined || last === undefined) return [];
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
}
