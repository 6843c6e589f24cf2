import type { RemoteFile } from './file-list.ts';

/** Progress of a download. */
export interface DownloadProgress {
  readonly type: 'file-begin' | 'file-progress' | 'file-end';
  /** Name in `source`, without the revision. */
  readonly source: string;
  /** Within the model, separated by `/`. */
  readonly file: string;
  /** Received bytes of the file, including earlier attempts. */
  readonly receivedBytes: number;
  /** Bytes of the file; `undefined` if the server doesn't report it. */
  readonly totalBytes: number | undefined;
  /** Totals over all files of this download. */
  readonly overall: {
    readonly files: number;
    readonly finishedFiles: number;
    readonly receivedBytes: number;
    /** Sum of the known sizes. */
    readonly totalBytes: number;
  };
}

const intervalMs = 100;

/** Sums up the progress of several downloads; each reports at most ten times a second. */
export function createProgressMeter(
  source: string,
  files: readonly RemoteFile[],
  onProgress: ((progress: DownloadProgress) => void) | undefined,
) {
  const received = new Map<RemoteFile, number>();
  const ended = new Set<RemoteFile>();
  const tell = (type: DownloadProgress['type'], file: RemoteFile): void =>
    onProgress?.({
      type,
      source,
      file: file.path,
      receivedBytes: received.get(file) ?? 0,
      totalBytes: file.sizeBytes,
      overall: {
        files: files.length,
        finishedFiles: ended.size,
        receivedBytes: [...received.values()].reduce((sum, bytes) => sum + bytes, 0),
        totalBytes: files.reduce((sum, { sizeBytes = 0 }) => sum + sizeBytes, 0),
      },
    });
  return {
    /** Creates the progress callback of a file. */
    receive(file: RemoteFile) {
      let toldAt = 0;
      return (receivedBytes: number): void => {
        const isFirst = !received.has(file);
        received.set(file, receivedBytes);
        const now = performance.now();
        if (!isFirst && now - toldAt < intervalMs) return;
        toldAt = now;
        tell(isFirst ? 'file-begin' : 'file-progress', file);
      };
    },
    end(file: RemoteFile): void {
      received.set(file, file.sizeBytes ?? received.get(file) ?? 0);
      ended.add(file);
      tell('file-end', file);
    },
  };
}

/** The required part of a stream such as `process.stderr`. */
export interface ProgressStream {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/**
 * Creates a function that displays a download: on a terminal as one updating line, otherwise as a line per file that
 * starts or ends.
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
