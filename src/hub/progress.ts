import type { RemoteFile } from './file-list.ts';

/** Progress of a download. */
export interface DownloadProgress {
  readonly type: 'file-begin' | 'file-progress' | 'file-end';
  /** Name in `source`, without the revision. */
  readonly source: string;
  /** Within the model, separated by `/`. */
  readonly file: string;
  /** Received bytes of the file, with those of an earlier attempt. */
  readonly receivedBytes: number;
  /** Bytes of the file; `undefined` where the server doesn't say. */
  readonly totalBytes: number | undefined;
  /** Bytes of all files of this download. */
  readonly overall: {
    readonly files: number;
    readonly finishedFiles: number;
    readonly receivedBytes: number;
    /** As far as it is known. */
    readonly totalBytes: number;
  };
}

export interface ProgressMeter {
  /** Makes the function that takes the progress of a file. */
  receive(file: RemoteFile): (receivedBytes: number) => void;
  end(file: RemoteFile): void;
}

const intervalMs = 100;

/** Adds up the progress of several downloads; each reports at most ten times a second. */
export function createProgressMeter(
  source: string,
  files: readonly RemoteFile[],
  onProgress: ((progress: DownloadProgress) => void) | undefined,
): ProgressMeter {
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
    receive(file) {
      let toldAt = 0;
      return (receivedBytes) => {
        const isFirst = !received.has(file);
        received.set(file, receivedBytes);
        const now = performance.now();
        if (!isFirst && now - toldAt < intervalMs) return;
        toldAt = now;
        tell(isFirst ? 'file-begin' : 'file-progress', file);
      };
    },
    end(file) {
      received.set(file, file.sizeBytes ?? received.get(file) ?? 0);
      ended.add(file);
      tell('file-end', file);
    },
  };
}
