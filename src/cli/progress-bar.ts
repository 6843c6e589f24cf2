import { stripVTControlCharacters } from 'node:util';
import { createProgressLine } from '../hub/progress-line.ts';
import type { DownloadProgress } from '../hub/progress.ts';
import { formatBytes, formatSeconds } from './format.ts';
import type { OutputStream } from './terminal.ts';

export interface ProgressBar {
  update(progress: DownloadProgress): void;
  /** Leaves the line as it is, whether the download has ended or not. */
  end(): void;
}

const barWidth = 24;
const clearLine = '\r\u001B[K';

/**
 * Shows a download: on a terminal a bar with speed and remaining time, elsewhere a line for every file that begins or
 * ends.
 */
export function createProgressBar(
  stream: OutputStream,
  now: () => number = () => performance.now(),
): ProgressBar {
  if (!stream.isTTY) return { update: createProgressLine(stream), end: () => undefined };
  let begun: { readonly atMs: number; readonly bytes: number } | undefined;
  let isOpen = false;
  return {
    update({ source, overall }) {
      const { receivedBytes, totalBytes } = overall;
      // What an earlier attempt left says nothing about the speed of this one.
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
      const line = fit(
        pieces.filter((piece) => piece !== false),
        stream.columns - 1,
      );
      stream.write(`${clearLine}${line}${isOver ? '\n' : ''}`);
      isOpen = !isOver;
    },
    end() {
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

/** A line that wraps can't be cleared: what matters least goes first. */
function fit(pieces: readonly string[], columns: number): string {
  const kept = [...pieces];
  while (kept.length > 2 && visibleLength(kept.join('  ')) > columns) kept.pop();
  const line = kept.join('  ');
  return visibleLength(line) > columns ? kept[0]!.slice(0, columns) : line;
}

function visibleLength(text: string): number {
  return stripVTControlCharacters(text).length;
}
