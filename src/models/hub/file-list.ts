import { readFile } from 'node:fs/promises';
import type { RemoteFile } from './repository.ts';

/** A file of a model. */
export interface ListedFile {
  /** Within the model, separated by `/`. */
  readonly path: string;
  /** `undefined` where the server doesn't tell. */
  readonly sizeBytes: number | undefined;
}

/** One commit's files as `trees/<commit>.json` of the hub's cache has them. */
interface StoredList {
  readonly format_version: 1;
  readonly files: Readonly<
    Record<
      string,
      {
        readonly size: number | null;
        /** Git's id of it; of the pointer, where the content is in large file storage. */
        readonly blob_id: string;
        readonly lfs_sha256?: string;
        readonly lfs_size?: number | null;
      }
    >
  >;
}

/** Writes the list of files of a commit as other programs with the same cache read it. */
export function formatFileList(files: readonly RemoteFile[]): string {
  const entries = files.map(({ path, sizeBytes: size = null, hash, identity, blobId = identity }) => {
    const large = hash?.algorithm === 'sha256' ? { lfs_sha256: hash.hex, lfs_size: size } : {};
    return [path, { size, blob_id: blobId, ...large }] as const;
  });
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  const list: StoredList = { format_version: 1, files: Object.fromEntries(sorted) };
  return JSON.stringify(list, null, 1);
}

/** @returns `undefined` where there is none, it is damaged, or a newer program has written it */
export async function readFileList(path: string): Promise<readonly ListedFile[] | undefined> {
  try {
    const list = JSON.parse(await readFile(path, 'utf8')) as StoredList;
    if (list.format_version !== 1) return undefined;
    return Object.entries(list.files).map(([file, { size }]) => ({
      path: file,
      sizeBytes: size ?? undefined,
    }));
  } catch {
    return undefined;
  }
}
