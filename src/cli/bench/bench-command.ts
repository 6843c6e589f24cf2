import { settingsOf } from '../../loading/model-settings.ts';
import { check, UsageError } from '../usage-error.ts';
import { defineCommand, exitCode, type ExitCode } from '../command.ts';
import { formatSeconds } from '../format.ts';
import { toHubOptions } from '../hub-options.ts';
import { watchInterrupts } from '../interrupt.ts';
import { aboutModel, categoryOf } from '../load-models.ts';
import { oneModel, readModelChoice } from '../model-choice.ts';
import type { ModelSettings } from '../model-settings.ts';
import { createNote } from '../note.ts';
import { openModel } from '../open-model.ts';
import { parseInteger } from '../options.ts';
import type { Terminal } from '../terminal.ts';
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
import { showReport, type BenchReport, type LoadedWith } from './report.ts';
import { readUsage } from './usage.ts';

export const benchCommand = defineCommand({
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
  const interruption = watchInterrupts();
  const { signal } = interruption;
  const note = createNote(terminal.messages, model);
  try {
    note.begin('loading …');
    const category = await readCategory(settings, signal);
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
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    note.clear();
    interruption.stop();
  }
  return signal.aborted ? exitCode.interrupted : exitCode.success;

  function print(report: BenchReport): void {
    const text = values.json ? JSON.stringify(report, null, 2) : showReport(report, terminal.output);
    terminal.output.write(`${text}\n`);
  }
}

async function readCategory(settings: ModelSettings, signal: AbortSignal): Promise<string> {
  try {
    return await categoryOf(settings, signal);
  } catch (error) {
    throw aboutModel(settings.source, error);
  }
}

/** A model that is measured has no plugins. */
function readSettings({ device, threads }: BenchValues): LoadedWith {
  const known = settingsOf(undefined);
  if (device !== undefined) {
    check('--device', known['device']!, device);
    try {
      assertDevice('--device', device as Device, []);
    } catch (error) {
      throw new UsageError((error as Error).message);
    }
  }
  if (threads !== undefined)
    check('--threads', known['threads']!, parseInteger('--threads', threads, { min: 1 }));
  return {
    device: device as Device | undefined,
    threads: threads === undefined ? undefined : Number(threads),
  };
}
