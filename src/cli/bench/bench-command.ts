import { readdirSync, readFileSync } from 'node:fs';
import { defineCommand, exitCode, untilInterrupted, type ExitCode } from '../command.ts';
import { formatSeconds, formatBytes, formatNumber, renderTable } from '../format.ts';
import { aboutModel, categoryOf } from '../load-models.ts';
import { oneModel, readModelChoice } from '../model-settings.ts';
import { openModel } from '../open-model.ts';
import { createNote, type Note, type OutputStream, type Terminal } from '../terminal.ts';
import {
  assertFitting,
  benchOptionTable,
  readImageLoad,
  readLoad,
  readLoadedWith,
  type BenchValues,
  type LoadedWith,
} from './bench-options.ts';
import { applyLoad, type Load, type LoadOptions, sum } from './load.ts';
import { chooseWorkload, type Workload } from './workloads.ts';

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
  const loadedWith = readLoadedWith(values.device, values.threads);
  const settings = { ...readModelChoice(model, values), ...loadedWith };
  readImageLoad(values);
  const note = createNote(terminal.messages, model);
  const code = await untilInterrupted(async (signal) => {
    note.begin('loading …');
    const category = await categoryOf(settings, signal).catch(aboutModel(settings.source));
    assertFitting(values, category);
    const subject = await openModel({ ...settings, category }, { terminal, signal, ...load });
    try {
      const workload = await chooseWorkload(subject, values, signal);
      const report = { model, category, ...loadedWith, ...(await measure(workload, load, { signal, note })) };
      if (report.requests > 0)
        terminal.output.write(
          `${values.json ? JSON.stringify(report, null, 2) : showReport(report, terminal.output)}\n`,
        );
    } finally {
      await subject.close();
    }
    return signal.aborted ? undefined : exitCode.success;
  }).finally(() => note.clear());
  return code ?? exitCode.interrupted;
}

export interface BenchReport extends LoadedWith, Measured {
  readonly model: string;
  readonly category: string;
}

export type Measured = Awaited<ReturnType<typeof measure>>;

interface MeasureContext extends Pick<LoadOptions, 'signal' | 'begin'> {
  readonly note: Note;
}

/** Measures a model under load, after a warm-up request. */
export async function measure(
  { description, prepare, send, measure: toMeasurements }: Workload,
  load: Load,
  { signal, begin, note }: MeasureContext,
) {
  note.begin('warming up …');
  await prepare(signal);
  note.begin('measuring …');
  const onProgress = (done: number, atMs: number): unknown =>
    note.update(`${done} requests, ${formatSeconds(atMs / 1000)}`);
  const { samples, elapsedMs, isInterrupted } = await applyLoad(load, send, { signal, begin, onProgress });
  note.clear();
  return {
    description,
    concurrency: load.concurrency,
    requests: samples.length,
    elapsedSeconds: elapsedMs / 1000,
    /** Whether Ctrl-C ended it early. */
    isInterrupted,
    /** Memory of all participating processes, until the end of the measurement. */
    peakBytes: readPeakBytes() as number | undefined,
    measurements: samples.length === 0 ? [] : toMeasurements(samples, elapsedMs),
  };
}

/** How to label a report if a different program received or generated the load. */
interface ReportStyle {
  readonly place?: string | undefined;
  readonly pace?: string | undefined;
  /** The column between p50 and p99. */
  readonly middle?: 'p90' | 'p95';
}

/** The report for people. */
export function showReport(
  report: BenchReport,
  { style }: OutputStream,
  { place = 'on this machine', pace = `${report.concurrency} at a time`, middle = 'p95' }: ReportStyle = {},
): string {
  const { model, category, requests, elapsedSeconds, description, device, threads, peakBytes } = report;
  const numbers = ['p50', middle, 'p99', 'overall'] as const;
  const rows = report.measurements.map((one) => [
    one.name,
    ...numbers.map((number) => (one[number] === undefined ? '' : formatNumber(one[number]))),
    one.unit,
  ]);
  const facts = [
    style.bold(model),
    category,
    place,
    device,
    threads && `threads: ${threads}`,
    peakBytes && `peak memory ${formatBytes(peakBytes)}`,
  ];
  return [
    facts.filter(Boolean).join(', '),
    `${requests === 1 ? '1 request' : `${requests} requests`} in ${formatSeconds(elapsedSeconds)}, ${pace}; ${description}`,
    '',
    renderTable(['', ...numbers.map((right) => ({ right })), ''], rows, style.dim),
  ].join('\n');
}

/** The total peak resident memory of this process and, on Linux, of all running descendants. */
export function readPeakBytes(): number {
  if (process.platform !== 'linux') return process.resourceUsage().maxRSS * 1024;
  const peakOf = (id: number): number =>
    Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]) * 1024;
  return sum([process.pid, ...descendantsOf(process.pid)].map(peakOf));
}

/** The descendants of a process; only on Linux. */
export function descendantsOf(id: number): readonly number[] {
  const children = readdirSync(`/proc/${id}/task`).flatMap((task) =>
    readFileSync(`/proc/${id}/task/${task}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [...children, ...children.flatMap(descendantsOf)];
}
