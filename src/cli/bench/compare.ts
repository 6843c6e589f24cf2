import type { Column } from '../table.ts';
import { formatNumber } from '../format.ts';
import { renderTable } from '../table.ts';
import type { BenchReport } from './report.ts';
import type { BenchResults } from './results.ts';
import type { Measurement } from './statistics.ts';

/** A quantity that two files of results have for the same run. */
export interface Pair {
  /** The settings that differ between the runs of a file, such as `context 128, streams 4`. */
  readonly run: string;
  readonly name: string;
  readonly unit: string;
  readonly first: number;
  readonly second: number;
}

const coordinates: Readonly<Record<string, (run: BenchReport) => string | number | undefined>> = {
  model: (run) => run.model,
  device: (run) => run.device,
  threads: (run) => run.threads,
  context: (run) => run.promptTokens,
  streams: (run) => run.concurrency,
};

/**
 * Pairs the quantities of two results. Runs belong together if they agree in all settings that vary within a file, so
 * that two devices or two models can be compared.
 */
export function pairResults(first: BenchResults, second: BenchResults): readonly Pair[] {
  const varying = Object.entries(coordinates).filter(([, read]) =>
    [first, second].some(({ runs }) => new Set(runs.map(read)).size > 1),
  );
  const nameOf = (run: BenchReport): string =>
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
    { title: 'run' },
    { title: '' },
    { title: names[0], align: 'right' },
    { title: names[1], align: 'right' },
    { title: '' },
    { title: 'ratio', align: 'right' },
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
