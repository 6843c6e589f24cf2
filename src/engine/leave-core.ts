import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';

/**
 * Keeps this process, all its threads included, off one of the processors that it may use, so that the host finds that
 * one free whenever it wakes up: a low priority alone lets a busy thread finish its time slice first. Does so on Linux
 * where the program `taskset` is there, and nothing elsewhere.
 *
 * @param options.threads how many threads the model was given; a model that was given all processors keeps them
 */
export function leaveCore({ threads }: { readonly threads?: number | undefined }): void {
  const processors = allowedProcessors();
  const left = processors.slice(1);
  if (left.length === 0 || (threads ?? 0) > left.length) return;
  spawnSync('taskset', ['-a', '-c', '-p', left.join(','), String(process.pid)], { stdio: 'ignore' });
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
