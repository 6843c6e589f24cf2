import { settingsOf } from '../../loading/model-settings.ts';
import { check, UsageError, parseInteger } from '../options.ts';
import { defineCommand, exitCode, untilInterrupted, type ExitCode } from '../command.ts';
import { formatSeconds, formatBytes, formatNumber } from '../format.ts';
import { toHubOptions } from '../hub-options.ts';
import { createNote, type Terminal, type OutputStream } from '../terminal.ts';
import { aboutModel, categoryOf } from '../load-models.ts';
import { oneModel, readModelChoice } from '../model-choice.ts';
import { openModel } from '../open-model.ts';
import { assertDevice } from '../../validation/device-setting.ts';
import type { Device } from '../../core/device.ts';
import {
  assertFitting,
  benchOptionTable,
  readImageLoad,
  readLoad,
  type BenchValues,
} from './bench-options.ts';
import { chooseWorkload } from './workloads.ts';
import { applyLoad } from './load.ts';
import { renderTable } from '../table.ts';
import { type Measurement, sum } from './statistics.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { orThrow } from '../../errors.ts';

export const command = defineCommand({
  name: 'bench',
  operands: '<model>',
  summary: 'Measures how fast a model is on this machine.',
  description: [
    'A model is a bundled one, a name of the catalogue, org/name on Hugging Face, a folder or an address. The measures depend on its category: time to first token and tokens/s for chat, texts/s for embeddings, documents/s for rerank, runs/s for detection and images, the real-time factor for speech and transcription.',
    '19 of 20 requests reach p95 or better, 99 of 100 reach p99. A first request, which is slower than all others, is not counted. Ctrl-C ends it early and prints what was measured so far.',
  ],
  options: benchOptionTable,
  examples: {
    'slashv1 bench tiny-chat': 'the bundled chat model, for 10 s',
    'slashv1 bench qwen3-0.6b --concurrency 8 --prompt-tokens 1000 --max-tokens 200':
      'long prompts, eight at a time',
    'slashv1 bench all-MiniLM-L6-v2 --requests 100 --json': 'a fixed number of requests, for other programs',
  },
  async run(values, operands, terminal) {
    return bench(oneModel(operands), values, terminal);
  },
});

async function bench(model: string, values: BenchValues, terminal: Terminal): Promise<ExitCode> {
  const load = readLoad(values);
  const loadedWith = readSettings(values);
  const settings = { ...readModelChoice(model, values, toHubOptions(values)), ...loadedWith };
  readImageLoad(values);
  const note = createNote(terminal.messages, model);
  const code = await untilInterrupted(async (signal) => {
    note.begin('loading …');
    const category = await categoryOf(settings, signal).catch(aboutModel(settings.source));
    assertFitting(values, category);
    const subject = await openModel({ ...settings, category }, { terminal, signal, ...load });
    try {
      note.begin('warming up …');
      const { description, prepare, send, measure } = await chooseWorkload(subject, values, signal);
      await prepare(signal);
      note.begin('measuring …');
      const { samples, elapsedMs, isInterrupted } = await applyLoad(load, send, {
        signal,
        onProgress: (done, atMs) => note.update(`${done} requests, ${formatSeconds(atMs / 1000)}`),
      });
      note.clear();
      if (samples.length > 0)
        print({
          model,
          category,
          url: undefined,
          ...loadedWith,
          description,
          promptTokens: undefined,
          concurrency: load.concurrency,
          requests: samples.length,
          elapsedSeconds: elapsedMs / 1000,
          isInterrupted,
          peakBytes: readUsage().peakBytes,
          measurements: measure(samples, elapsedMs),
        });
    } finally {
      await subject.close();
    }
    return signal.aborted ? undefined : exitCode.success;
  }).finally(() => note.clear());
  return code ?? exitCode.interrupted;

  function print(report: BenchReport): void {
    const text = values.json ? JSON.stringify(report, null, 2) : showReport(report, terminal.output);
    terminal.output.write(`${text}\n`);
  }
}

/** A model that is measured has no plugins. */
function readSettings({ device, threads }: BenchValues): LoadedWith {
  const known = settingsOf(undefined);
  if (device !== undefined) {
    check('--device', known['device']!, device);
    orThrow(
      () => assertDevice('--device', device as Device, []),
      (error) => new UsageError(error.message),
    );
  }
  if (threads !== undefined)
    check('--threads', known['threads']!, parseInteger('--threads', threads, { min: 1 }));
  return {
    device: device as Device | undefined,
    threads: threads === undefined ? undefined : Number(threads),
  };
}

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
  const numbers = ['p50', rate === undefined ? 'p95' : 'p90', 'p99', 'overall'];
  const columns = ['', ...numbers.map((right) => ({ right })), ''];
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
