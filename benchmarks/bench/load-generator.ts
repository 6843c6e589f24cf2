import { writeFileSync } from 'node:fs';
import { defineCommand } from '../../src/cli/command.ts';
import { exitCode, type ExitCode } from '../../src/cli/command.ts';
import { watchInterrupts } from '../../src/cli/command.ts';
import { createNote, type Terminal } from '../../src/cli/terminal.ts';
import { aboutModel, categoryOf } from '../../src/cli/load-models.ts';
import { oneModel, readModelChoice } from '../../src/cli/model-settings.ts';
import { openModel } from '../../src/cli/open-model.ts';
import {
  assertCompatible,
  assertFitting,
  benchOptionTable,
  readApiAddress,
  readLoad,
  type BenchValues,
} from './options.ts';
import { maxConcurrency, readImageLoad, type LoadedWith } from '../../src/cli/bench/bench-options.ts';
import { chooseWorkload, type Subject } from '../../src/cli/bench/workloads.ts';
import { measure, showReport } from '../../src/cli/bench/bench-command.ts';
import { arrivals, type Load } from './arrivals.ts';
import { openRemoteSubject } from './remote-subject.ts';
import { describeMachine } from './machine.ts';
import { measureGoodput, readProductionLoad } from './production-load.ts';
import type { BenchResults, LoadReport } from './results.ts';
import { readSettings, readSweep } from './sweep.ts';

export const loadCommand = defineCommand({
  name: 'load',
  operands: '<model>',
  summary: 'Loads a model, on this machine or at an address, and measures it.',
  description: [
    'A model is a bundled one, a name of the catalogue, org/name on Hugging Face, a folder or an address; with --url, its id on that server. The measures depend on its category: time to first token and tokens/s for chat, texts/s for embeddings, documents/s for rerank, runs/s for detection and images, the real-time factor for speech and transcription.',
    '19 of 20 requests reach p95 or better, 99 of 100 reach p99. A first request, which is slower than all others, is not counted. Ctrl-C ends it early and prints what was measured so far.',
    'compare prints the ratios of two files that --output wrote.',
  ],
  options: benchOptionTable,
  examples: {
    'node dist/benchmarks/bench/main.js tiny-chat': 'the bundled chat model, for 10 s',
    'node dist/benchmarks/bench/main.js qwen3-0.6b --concurrency 8 --prompt-tokens 1000 --max-tokens 200':
      'long prompts, eight at a time',
    'node dist/benchmarks/bench/main.js all-MiniLM-L6-v2 --requests 100 --json':
      'a fixed number of requests, for other programs',
    'node dist/benchmarks/bench/main.js qwen3-0.6b --device cpu,webgpu --sweep context=128,1k,4k --sweep streams=1,4,8 --output here.json':
      'two devices, three lengths and three loads, into a file',
    'node dist/benchmarks/bench/main.js qwen3-0.6b --rate 1,2,4,8 --duration 30s --goodput ttft=500,tpot=50':
      'four loads as users make them, and how many answers came in time',
    'node dist/benchmarks/bench/main.js assistant --url http://127.0.0.1:8000/v1 --key sk-…':
      'a model of a server that runs already',
  },
  async run(values, operands, terminal) {
    return bench(oneModel(operands), values, terminal);
  },
});

async function bench(model: string, values: BenchValues, terminal: Terminal): Promise<ExitCode> {
  assertCompatible(values);
  const url = values.url === undefined ? undefined : readApiAddress(values.url);
  const settings = readSettings(values);
  const sweep = readSweep(values).map((point) => ({ point, load: readLoad(point) }));
  const concurrency = Math.max(
    ...sweep.map(({ load }) => (load.rate === undefined ? load.concurrency : maxConcurrency)),
  );
  readImageLoad(values);
  const { prompts, goodput } = readProductionLoad(values);
  const machine = await describeMachine();
  const interruption = watchInterrupts();
  const { signal } = interruption;
  const note = createNote(terminal.messages, model);
  const runs: LoadReport[] = [];
  try {
    for (const loadedWith of settings) await measureAll(loadedWith);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    note.clear();
    interruption.stop();
    write();
  }
  return signal.aborted ? exitCode.interrupted : exitCode.success;

  async function measureAll(loadedWith: LoadedWith): Promise<void> {
    note.begin('loading …');
    const subject = await openSubject(model, values, { terminal, signal, concurrency, url, loadedWith });
    try {
      for (const { point, load } of sweep) {
        const report = await measurePoint(subject, loadedWith, point, load);
        if (report.requests === 0) return;
        runs.push(report);
        if (!values.json) terminal.output.write(`${show(report)}\n\n`);
        if (report.isInterrupted) return;
      }
    } finally {
      await subject.close();
    }
  }

  async function measurePoint(
    subject: Subject,
    loadedWith: LoadedWith,
    point: BenchValues,
    load: Load,
  ): Promise<LoadReport> {
    const workload = await chooseWorkload(subject, point, signal, prompts);
    const { rate } = load;
    const measureAlso: typeof workload.measure = (samples, elapsedMs) => [
      ...workload.measure(samples, elapsedMs),
      ...(goodput ? [measureGoodput(samples, elapsedMs / 1000, goodput)] : []),
    ];
    const measured = await measure({ ...workload, measure: measureAlso }, load, {
      signal,
      begin: rate === undefined ? undefined : arrivals({ ...load, rate }),
      note,
    });
    const promptTokens = point['prompt-tokens'];
    return {
      model,
      category: subject.category,
      url,
      ...loadedWith,
      promptTokens: promptTokens === undefined ? undefined : Number(promptTokens),
      rate,
      ...measured,
      peakBytes: url === undefined ? measured.peakBytes : undefined,
    };
  }

  function show(report: LoadReport): string {
    const { rate } = report;
    const pace = rate === undefined ? undefined : `${rate} a second`;
    const middle = rate === undefined ? 'p95' : 'p90';
    return showReport(report, terminal.output, { place: url, pace, middle });
  }

  /** Measurements are kept also where a later one failed. */
  function write(): void {
    if (runs.length === 0) {
      if (signal.aborted) terminal.messages.write('\nNothing was measured yet.\n');
      return;
    }
    const results: BenchResults = {
      format: 'slashv1-bench-1',
      date: new Date().toISOString(),
      machine,
      runs,
    };
    const text = `${JSON.stringify(results, null, 2)}\n`;
    if (values.json) terminal.output.write(text);
    if (values.output !== undefined) writeFileSync(values.output, text);
  }
}

interface OpenContext {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly concurrency: number;
  readonly loadedWith: LoadedWith;
  readonly url: string | undefined;
}

async function openSubject(
  model: string,
  values: BenchValues,
  { terminal, signal, url, concurrency, loadedWith }: OpenContext,
): Promise<Subject> {
  const settings = readModelChoice(model, values);
  if (url !== undefined) {
    const key = values.key ?? (terminal.environment['SLASHV1_API_KEY'] || undefined);
    const { category } = settings;
    const subject = await openRemoteSubject({
      baseUrl: url,
      key,
      model,
      category,
      concurrency,
      signal,
    });
    try {
      assertFitting(values, subject.category);
      return subject;
    } catch (error) {
      await subject.close();
      throw error;
    }
  }
  const category = await categoryOf(settings, signal).catch(aboutModel(model));
  assertFitting(values, category);
  return openModel({ ...settings, ...loadedWith, category }, { terminal, signal, concurrency });
}
