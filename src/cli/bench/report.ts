import { formatNumber, formatSeconds } from '../format.ts';
import { renderTable } from '../table.ts';
import type { OutputStream } from '../terminal.ts';
import type { Measurement } from './statistics.ts';

/** What came out. */
export interface BenchReport {
  readonly model: string;
  readonly category: string;
  /** Address of the server; `undefined` for this machine. */
  readonly url: string | undefined;
  readonly description: string;
  readonly concurrency: number;
  readonly requests: number;
  readonly elapsedSeconds: number;
  /** Whether Ctrl-C ended it before its time. */
  readonly isInterrupted: boolean;
  readonly measurements: readonly Measurement[];
}

/** The report as people read it. */
export function showReport(report: BenchReport, { style }: OutputStream): string {
  const { model, category, url, requests, concurrency, elapsedSeconds, description, measurements } = report;
  const rows = measurements.map(({ name, unit, p50, p95, overall }) => [
    name,
    cell(p50),
    cell(p95),
    cell(overall),
    unit,
  ]);
  const columns = [
    { title: '' },
    { title: 'p50', align: 'right' },
    { title: 'p95', align: 'right' },
    { title: 'overall', align: 'right' },
    { title: '' },
  ] as const;
  const counted = requests === 1 ? '1 request' : `${requests} requests`;
  return [
    `${style.bold(model)}, ${category}, ${url ?? 'on this machine'}`,
    `${counted} in ${formatSeconds(elapsedSeconds)}, ${concurrency} at a time; ${description}`,
    '',
    renderTable(columns, rows, style.dim),
  ].join('\n');
}

function cell(value: number | undefined): string {
  return value === undefined ? '' : formatNumber(value);
}
