import { defineCommand } from '../command.ts';
import { describeModel } from '../../recognize-model.ts';
import { exitCode, type ExitCode } from '../exit-code.ts';
import { formatSeconds } from '../format.ts';
import { toHubOptions } from '../hub-options.ts';
import { watchInterrupts } from '../interrupt.ts';
import { aboutModel } from '../load-models.ts';
import { readModelChoice } from '../model-choice.ts';
import type { OutputStream, Terminal } from '../terminal.ts';
import { UsageError } from '../usage-error.ts';
import {
  assertCompatible,
  assertFitting,
  benchOptionTable,
  readApiAddress,
  readImageLoad,
  readLoad,
  type BenchValues,
} from './bench-options.ts';
import { chooseWorkload } from './choose-workload.ts';
import { applyLoad, type Load } from './load.ts';
import { openLocalSubject } from './local-subject.ts';
import { openRemoteSubject } from './remote-subject.ts';
import { showReport, type BenchReport } from './report.ts';
import type { Subject } from './workload.ts';

export const benchCommand = defineCommand({
  name: 'bench',
  operands: '<model>',
  summary: 'Measures how fast a model is, on this machine or behind an address.',
  description: [
    'A model is a bundled one, a name of the catalogue, org/name on the hub, a folder or an address; with --url, its id on that server. What its category decides is measured: time to first token and tokens/s for chat, texts/s for embeddings, documents/s for rerank, runs/s for detection and images, the real-time factor for speech and transcription.',
    'p95 is what 19 of 20 requests reach or better. A first request, which is slower than all others, is not counted. Ctrl-C ends it early and prints what was measured so far.',
  ],
  options: benchOptionTable,
  examples: {
    'slashv1 bench tiny-chat': 'the bundled chat model, for 10 s',
    'slashv1 bench qwen3-0.6b --concurrency 8 --prompt-tokens 1000 --max-tokens 200':
      'long prompts, eight at a time',
    'slashv1 bench all-MiniLM-L6-v2 --requests 100 --json': 'a fixed number of requests, for other programs',
    'slashv1 bench assistant --url http://127.0.0.1:8000/v1 --key sk-…':
      'a model of a server that runs already',
  },
  async run(values, operands, terminal) {
    const [model, ...others] = operands;
    if (model === undefined || others.length > 0) {
      throw new UsageError(`Expected the name of one model, got ${operands.length}.`);
    }
    return bench(model, values, terminal);
  },
});

async function bench(model: string, values: BenchValues, terminal: Terminal): Promise<ExitCode> {
  assertCompatible(values);
  const url = values.url === undefined ? undefined : readApiAddress(values.url);
  const load = readLoad(values);
  readImageLoad(values);
  const interruption = watchInterrupts();
  const { signal } = interruption;
  const note = createNote(terminal.messages, model);
  let subject: Subject | undefined;
  try {
    const workload = await prepare();
    const report = await measure(workload);
    if (report.requests === 0) terminal.messages.write('Nothing was measured yet.\n');
    else
      terminal.output.write(
        `${values.json ? JSON.stringify(report, null, 2) : showReport(report, terminal.output)}\n`,
      );
    return report.isInterrupted ? exitCode.interrupted : exitCode.success;
  } catch (error) {
    if (!signal.aborted) throw error;
    terminal.messages.write('\nNothing was measured yet.\n');
    return exitCode.interrupted;
  } finally {
    await subject?.close();
    interruption.stop();
  }

  async function prepare(): ReturnType<typeof chooseWorkload> {
    try {
      note.begin('loading …');
      subject = await openSubject(model, values, { terminal, signal, load, url });
      note.begin('warming up …');
      const workload = await chooseWorkload(subject, values, signal);
      await workload.prepare(signal);
      return workload;
    } finally {
      note.clear();
    }
  }

  async function measure(workload: Awaited<ReturnType<typeof chooseWorkload>>): Promise<BenchReport> {
    try {
      note.begin('measuring …');
      const { samples, elapsedMs, isInterrupted } = await applyLoad(load, workload.send, {
        signal,
        onProgress: (done, atMs) => note.update(`${done} requests, ${formatSeconds(atMs / 1000)}`),
      });
      return {
        model,
        category: subject!.category,
        url,
        description: workload.description,
        concurrency: load.concurrency,
        requests: samples.length,
        elapsedSeconds: elapsedMs / 1000,
        isInterrupted,
        measurements: samples.length === 0 ? [] : workload.measure(samples, elapsedMs),
      };
    } finally {
      note.clear();
    }
  }
}

interface OpenContext {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
  readonly load: Load;
  readonly url: string | undefined;
}

async function openSubject(
  model: string,
  values: BenchValues,
  { terminal, signal, url, load: { concurrency } }: OpenContext,
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
  const category = settings.category ?? (await categoryOf());
  assertFitting(values, category);
  return openLocalSubject({ ...settings, category }, { terminal, signal, concurrency });

  async function categoryOf(): Promise<Subject['category']> {
    try {
      return (await describeModel(model, { ...settings, signal })).category;
    } catch (error) {
      throw aboutModel(model, error);
    }
  }
}

interface Note {
  /** What happens now. */
  begin(what: string): void;
  /** How far it is. */
  update(what: string): void;
  clear(): void;
}

/** A line of a terminal that comes and goes; elsewhere a line for everything that begins. */
function createNote({ isTTY, style, write }: OutputStream, model: string): Note {
  const clear = '\r\u001B[K';
  const show = (what: string): void => write(`${clear}${style.dim(`${model}: ${what}`)}`);
  return {
    begin: (what) => (isTTY ? show(what) : write(`${model}: ${what}\n`)),
    update: (what) => isTTY && show(what),
    clear: () => isTTY && write(clear),
  };
}
