import type { DownloadProgress } from './progress.ts';

/** The part of a stream such as `process.stderr` that is used. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Makes the function that shows a download: on a terminal as one line that changes, elsewhere as a line for every file that
 * begins or ends.
 */
export function createProgressLine(stream: ProgressStream): (progress: DownloadProgress) => void {
  return (progress) => {
    if (stream.isTTY) stream.write(changingLine(progress, stream.columns ?? 80));
    else if (progress.type !== 'file-progress') stream.write(`${lastingLine(progress)}\n`);
  };
}

function changingLine({ source, file, overall }: DownloadProgress, columns: number): string {
  const { files, finishedFiles, receivedBytes, totalBytes } = overall;
  const share = totalBytes === 0 ? 1 : receivedBytes / totalBytes;
  const isOver = finishedFiles === files;
  const amount = `${formatBytes(receivedBytes)} of ${formatBytes(totalBytes)} (${Math.floor(share * 100)} %)`;
  const rest = isOver ? `${files} files` : `${finishedFiles} of ${files} files, ${file}`;
  const line = `slashv1: ${source}: ${amount}, ${rest}`.slice(0, columns - 1);
  return `\r\u001B[K${line}${isOver ? '\n' : ''}`;
}

function lastingLine({ type, source, file, receivedBytes, totalBytes }: DownloadProgress): string {
  const size = totalBytes === undefined ? '' : ` (${formatBytes(totalBytes)})`;
  if (type === 'file-end') return `slashv1: ${source}: got ${file}${size}`;
  const from = receivedBytes > 0 ? `, ${formatBytes(receivedBytes)} are there` : '';
  return `slashv1: ${source}: downloading ${file}${size}${from}`;
}

function formatBytes(bytes: number): string {
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}
