import { formatBytes, formatNumber, formatSeconds } from '../format.ts';
import { renderTable } from '../table.ts';
import type { OutputStream } from '../terminal.ts';
import type { Measurement } from './statistics.ts';
import type { Device } from '../../core/device.ts';

/** Settings that a model is loaded with. */
export interface LoadedWith {
  readonly device?: Device | undefined;
  readonly threads?: number | undefined;
}

/** The results of one measurement. */
export interface BenchReport extends LoadedWith {
  readonly model: string;
  readonly category: string;
  /** Address of the server; `undefined` for this machine. */
  readonly url: string | undefined;
  readonly description: string;
  /** As the options ask for it; `undefined` for the default. */
  readonly promptTokens: number | undefined;
  readonly concurrency: number;
  /** Requests per second that began; `undefined` where each began when another ended. */
  readonly rate?: number | undefined;
  readonly requests: number;
  readonly elapsedSeconds: number;
  /** Whether Ctrl-C ended it before its time. */
  readonly isInterrupted: boolean;
  /** Memory of all participating processes, up to the end of the measurement; none of a server's. */
  readonly peakBytes: number | undefined;
  readonly measurements: readonly Measurement[];
}

/** The report as people read it. */
export function showReport(report: BenchReport, { style }: OutputStream): string {
  const { model, category, url, requests, concurrency, elapsedSeconds, description, measurements } = report;
  const { device, threads, peakBytes, rate } = report;
  const rows = measurements.map(({ name, unit, p50, p90, p95, p99, overall }) => [
    name,
    cell(p50),
    cell(rate === undefined ? p95 : p90),
    cell(p99),
    cell(overall),
    unit,
  ]);
  const columns = [
    { title: '' },
    { title: 'p50', align: 'right' },
    { title: rate === undefined ? 'p95' : 'p90', align: 'right' },
    { title: 'p99', align: 'right' },
    { title: 'overall', align: 'right' },
    { title: '' },
  ] as const;
  const counted = requests === 1 ? '1 request' : `${requests} requests`;
  const place = [
    url ?? 'on this machine',
    device,
    threads && `threads: ${threads}`,
    peakBytes && `peak memory ${formatBytes(peakBytes)}`,
  ];
  return [
    `${style.bold(model)}, ${category}, ${place.filter(Boolean).join(', ')}`,
    `${counted} in ${formatSeconds(elapsedSeconds)}, ${rate === undefined ? `${concurrency} at a time` : `${rate} a second`}; ${description}`,
    '',
    renderTable(columns, rows, style.dim),
  ].join('\n');
}

function cell(value: number | undefined): string {
  return value === undefined ? '' : formatNumber(value);
}
