import { stripVTControlCharacters } from 'node:util';
import { backendOf } from '../backends/registry.ts';
import { didYouMean } from '../core/text/suggest.ts';
import { sentence } from '../errors.ts';
import { createProgressLine, type DownloadProgress } from '../hub/progress.ts';
import { InferenceError, obtainModel, type ModelOptions } from '../index.ts';
import { describeModel, knownModels, recognizeModel } from '../loading/facts.ts';
import { isVoiceModel } from '../realtime/agent/voice.ts';
import { formatBytes, formatSeconds } from './format.ts';
import type { ModelSettings } from './model-settings.ts';
import type { OutputStream, Terminal } from './terminal.ts';

const barWidth = 24;
const clearLine = '\r\u001B[K';

/** Displays a download: on a terminal a bar with speed and remaining time, otherwise a line per file that starts or ends. */
export function createProgressBar(stream: OutputStream, now: () => number = () => performance.now()) {
  if (!stream.isTTY) return { update: createProgressLine(stream), end: () => undefined };
  let begun: { readonly atMs: number; readonly bytes: number } | undefined;
  let isOpen = false;
  return {
    update({ source, overall }: DownloadProgress): void {
      const { receivedBytes, totalBytes } = overall;
      // Bytes of an earlier attempt don't count for the speed.
      begun ??= { atMs: now(), bytes: receivedBytes };
      const seconds = (now() - begun.atMs) / 1000;
      const speed = seconds > 0.2 ? (receivedBytes - begun.bytes) / seconds : 0;
      const isOver = overall.finishedFiles === overall.files;
      const pieces = [
        source,
        bar(totalBytes === 0 ? Number(isOver) : receivedBytes / totalBytes, stream),
        `${formatBytes(receivedBytes)} of ${formatBytes(totalBytes)}`,
        speed > 0 && `${formatBytes(speed)}/s`,
        speed > 0 &&
          !isOver &&
          totalBytes > receivedBytes &&
          `${formatSeconds((totalBytes - receivedBytes) / speed)} left`,
      ];
      const shown = pieces.filter((piece) => piece !== false);
      const line = fit(shown, stream.columns - 1);
      stream.write(`${clearLine}${line}${isOver ? '\n' : ''}`);
      isOpen = !isOver;
    },
    /** Keeps the line, whether the download has ended or not. */
    end(): void {
      if (isOpen) stream.write('\n');
      isOpen = false;
    },
  };
}

function bar(share: number, { style }: OutputStream): string {
  const filled = Math.round(Math.min(1, share) * barWidth);
  const percent = `${Math.floor(Math.min(1, share) * 100)} %`.padStart(5);
  return `${style.cyan('█'.repeat(filled))}${style.dim('░'.repeat(barWidth - filled))} ${percent}`;
}

/** A wrapped line can't be cleared: the least important parts are dropped first. */
function fit(pieces: readonly string[], columns: number): string {
  const kept = [...pieces];
  while (kept.length > 2 && visibleLength(kept.join('  ')) > columns) kept.pop();
  const line = kept.join('  ');
  return visibleLength(line) > columns ? kept[0]!.slice(0, columns) : line;
}

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}

export interface FetchContext {
  readonly terminal: Terminal;
  readonly signal: AbortSignal;
}

/** Detects the category of a model and ensures that its files are on this disk. */
export async function fetchModel(
  settings: ModelSettings,
  { terminal, signal }: FetchContext,
): Promise<ModelOptions> {
  const { source, dtype, hub } = settings;
  if (isVoiceModel(settings) || backendOf(settings)?.place === 'host') return settings;
  const category = await categoryOf(settings, signal);
  const progress = createProgressBar(terminal.messages);
  try {
    const obtained = await obtainModel(
      { source, category, dtype, hub, backend: settings.backend },
      {
        onProgress: progress.update,
        onWarning: warn(terminal),
        signal,
      },
    );
    return { ...settings, ...obtained, category };
  } finally {
    progress.end();
  }
}

/** The given category of a model, or the category detected from its small files. */
export async function categoryOf(
  { source, category, hub }: ModelSettings,
  signal: AbortSignal,
): Promise<string> {
  return category ?? recognizeModel(source) ?? (await describeModel(source, { hub, signal })).category;
}

export function warn({ messages }: Terminal): (message: string) => void {
  return (message) => messages.write(`slashv1: ${message}\n`);
}

/** Adds the model's name and a suggestion to an error from finding it; for `catch` of a promise. */
export function aboutModel(name: string): (error: unknown) => never {
  return (error) => {
    if (!InferenceError.isInstance(error)) throw error;
    const isKnown = knownModels.includes(name);
    const reason = error.message.replace(/^source: /, '');
    const hint = error.param === 'source' && !isKnown ? didYouMean(name, knownModels) : '';
    throw new InferenceError(error.code, `${name}: ${sentence(reason)}${hint}`, {
      param: error.param,
      cause: error,
    });
  };
}
