import { writeFileSync } from 'node:fs';
import { defineCommand } from '../../src/cli/command.ts';
import { exitCode, type ExitCode } from '../../src/cli/command.ts';
import { formatSeconds } from '../../src/cli/format.ts';
import { toHubOptions } from '../../src/cli/hub-options.ts';
import { watchInterrupts } from '../../src/cli/command.ts';
import { createNote, type Terminal } from '../../src/cli/terminal.ts';
import { aboutModel, categoryOf } from '../../src/cli/load-models.ts';
import { oneModel, readModelChoice } from '../../src/cli/model-choice.ts';
import { openModel } from '../../src/cli/open-model.ts';
import {
  assertCompatible,
  assertFitting,
  benchOptionTable,
  readApiAddress,
  readLoad,
  type BenchValues,
} from './options.ts';
import { maxConcurrency, readImageLoad } from '../../src/cli/bench/bench-options.ts';
import { chooseWorkload } from '../../src/cli/bench/workloads.ts';
import { applyLoad } from '../../src/cli/bench/load.ts';
import type { ChatSample } from '../../src/cli/bench/chat-workload.ts';
import type { Measurement } from '../../src/cli/bench/statistics.ts';
import { arrivals, type Load } from './arrivals.ts';
import { openRemoteSubject } from './remote-subject.ts';
import { describeMachine } from './machine.ts';
import { measureGoodput, readProductionLoad } from './production-load.ts';
import {
  showReport,
  type BenchReport,
  type LoadedWith,
  readUsage,
} from '../../src/cli/bench/bench-command.ts';
import type { BenchResults } from './results.ts';
import { readSettings, readSweep } from './sweep.ts';
import type { Subject } from '../../src/cli/bench/prompts.ts';

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
  const runs: BenchReport[] = [];
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
        const report = await measure(subject, loadedWith, point, load);
        if (report.requests === 0) return;
        runs.push(report);
        if (!values.json) terminal.output.write(`${showReport(report, terminal.output)}\n\n`);
        if (report.isInterrupted) return;
      }
    } finally {
      await subject.close();
    }
  }

  async function measure(
    subject: Subject,
    loadedWith: LoadedWith,
    point: BenchValues,
    load: Load,
  ): Promise<BenchReport> {
    note.begin('warming up …');
    const workload = await chooseWorkload(subject, point, signal, prompts);
    await workload.prepare(signal);
    note.begin('measuring …');
    const { rate } = load;
    const { samples, elapsedMs, isInterrupted } = await applyLoad(load, workload.send, {
      signal,
      begin: rate === undefined ? undefined : arrivals({ ...load, rate }),
      onProgress: (done, atMs) => note.update(`${done} requests, ${formatSeconds(atMs / 1000)}`),
    });
    const promptTokens = point['prompt-tokens'];
    const measured = (all: typeof samples): readonly Measurement[] => [
      ...workload.measure(all, elapsedMs),
      ...(goodput ? [measureGoodput(all as readonly ChatSample[], elapsedMs / 1000, goodput)] : []),
    ];
    note.clear();
    return {
      model,
      category: subject.category,
      url,
      ...loadedWith,
      description: workload.description,
      promptTokens: promptTokens === undefined ? undefined : Number(promptTokens),
      concurrency: load.concurrency,
      rate: load.rate,
      requests: samples.length,
      elapsedSeconds: elapsedMs / 1000,
      isInterrupted,
      peakBytes: url === undefined ? readUsage().peakBytes : undefined,
      measurements: samples.length === 0 ? [] : measured(samples),
    };
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
  const settings = readModelChoice(model, values, toHubOptions(values));
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
