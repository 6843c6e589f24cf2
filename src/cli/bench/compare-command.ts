import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { exitCode, type ExitCode } from '../exit-code.ts';
import type { Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import { drawBars } from './bar-chart.ts';
import { pairResults, showPairs } from './compare.ts';
import { readResults } from './results.ts';

/**
 * Prints the ratios of two files of results, and draws them where a folder for that is given.
 *
 * @throws UsageError for files that hold no results or none that belong together
 */
export function compareResults(
  files: readonly string[],
  plots: string | undefined,
  { output, messages }: Terminal,
): ExitCode {
  const [first, second, ...others] = files;
  if (first === undefined || second === undefined || others.length > 0) {
    throw new UsageError(`compare: expected two files of results, got ${files.length}.`);
  }
  const pairs = pairResults(readResults(first), readResults(second));
  if (pairs.length === 0) throw new UsageError('compare: the two files have no run in common.');
  const names = [basename(first, '.json'), basename(second, '.json')] as const;
  output.write(`${showPairs(pairs, names, output.style.dim)}\n`);
  if (plots === undefined) return exitCode.success;
  mkdirSync(plots, { recursive: true });
  for (const name of new Set(pairs.map((pair) => pair.name))) {
    const group = pairs.filter((pair) => pair.name === name);
    const path = join(plots, `${name.replaceAll(/\W+/g, '-')}.svg`);
    const groups = group.map(({ run, first: a, second: b }) => ({ label: run || name, values: [a, b] }));
    writeFileSync(path, drawBars({ title: name, unit: group[0]!.unit, series: names, groups }));
    messages.write(`${path}\n`);
  }
  return exitCode.success;
}
