import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { defineCommand } from '../../src/cli/command.ts';
import { formatNumber, type Column, renderTable } from '../../src/cli/format.ts';
import { type BenchResults, type LoadReport, readResults } from './results.ts';
import type { Measurement } from '../../src/cli/bench/load.ts';
import { exitCode, type ExitCode } from '../../src/cli/command.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { UsageError } from '../../src/cli/options.ts';
import { drawBars } from './bar-chart.ts';

/** A quantity that two files of results have for the same run. */
export interface Pair {
  /** The settings that differ between the runs of a file, such as `context 128, streams 4`. */
  readonly run: string;
  readonly name: string;
  readonly unit: string;
  readonly first: number;
  readonly second: number;
}

const coordinates: Readonly<Record<string, (run: LoadReport) => string | number | undefined>> = {
  model: (run) => run.model,
  device: (run) => run.device,
  threads: (run) => run.threads,
  context: (run) => run.promptTokens,
  streams: (run) => run.concurrency,
  rate: (run) => run.rate,
};

/**
 * Pairs the quantities of two results. Runs belong together if they agree in all settings that vary within a file, so
 * that two devices or two models can be compared.
 */
export function pairResults(first: BenchResults, second: BenchResults): readonly Pair[] {
  const varying = Object.entries(coordinates).filter(([, read]) =>
    [first, second].some(({ runs }) => new Set(runs.map(read)).size > 1),
  );
  const nameOf = (run: LoadReport): string =>
    varying.map(([name, read]) => `${name} ${read(run) ?? 'default'}`).join(', ');
  const others = new Map(second.runs.map((run) => [nameOf(run), run]));
  return first.runs.flatMap((run) => {
    const other = others.get(nameOf(run));
    return run.measurements.flatMap((measurement): Pair[] => {
      const { name, unit } = measurement;
      const match = other?.measurements.find((one) => one.name === name && one.unit === unit);
      const [a, b] = [valueOf(measurement), match && valueOf(match)];
      if (a === undefined || b === undefined) return [];
      return [{ run: nameOf(run), name, unit, first: a, second: b }];
    });
  });
}

/** The median, or the value over the whole time where requests have none of their own. */
function valueOf({ p50, overall }: Measurement): number | undefined {
  return p50 ?? overall;
}

/** The pairs as a table with ratios. */
export function showPairs(
  pairs: readonly Pair[],
  names: readonly [string, string],
  paint: (text: string) => string,
): string {
  const columns: readonly Column[] = [
    'run',
    '',
    { right: names[0] },
    { right: names[1] },
    '',
    { right: 'ratio' },
  ];
  const rows = pairs.map(({ run, name, unit, first, second }) => [
    run,
    name,
    formatNumber(first),
    formatNumber(second),
    unit,
    `${formatNumber(second / first)} ×`,
  ]);
  return renderTable(columns, rows, paint);
}

export const compareCommand = defineCommand({
  name: 'bench compare',
  operands: '<file> <file>',
  summary: 'Prints the ratios of two files that slashv1 bench --output wrote.',
  description: [
    'The files may come from two machines, devices, versions or models. Runs are paired if they agree in all settings that vary within a file.',
  ],
  options: {
    plots: ['<folder>', 'Draw each quantity as an SVG file.'],
  },
  examples: {
    'slashv1 bench compare here.json there.json --plots plots': 'two files of results, drawn as well',
  },
  run: async ({ plots }, files, terminal) => compareResults(files, plots, terminal),
});

/** @throws UsageError for files that hold no results or none that belong together */
function compareResults(
  files: readonly string[],
  plots: string | undefined,
  { output, messages }: Terminal,
): ExitCode {
  const [first, second, ...others] = files;
  if (first === undefined || second === undefined || others.length > 0) {
    throw new UsageError(`Expected two files of results, got ${files.length}.`);
  }
  const pairs = pairResults(readResults(first), readResults(second));
  if (pairs.length === 0) throw new UsageError('The two files have no run in common.');
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
