import { readFile } from 'node:fs/promises';
import type { RemoteFile } from './repository.ts';

/** A file of a model. */
export interface ListedFile {
  /** Within the model, separated by `/`. */
  readonly path: string;
  /** `undefined` where the server doesn't tell. */
  readonly sizeBytes: number | undefined;
}

/**
 * Writes the list of files of a commit as `trees/<commit>.json` of the hub's cache has it. A blob's id is git's; of the
 * pointer, where the content is in large file storage.
 */
export function formatFileList(files: readonly RemoteFile[]): string {
  const entries = files.map(({ path, sizeBytes: size = null, hash, identity, blobId = identity }) => {
    const large = hash?.algorithm === 'sha256' ? { lfs_sha256: hash.hex, lfs_size: size } : {};
    return [path, { size, blob_id: blobId, ...large }] as const;
  });
  const sorted = entries.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify({ format_version: 1, files: Object.fromEntries(sorted) }, null, 1);
}

/** @returns `undefined` where there is none, it is damaged, or a newer program has written it */
export async function readFileList(path: string): Promise<readonly ListedFile[] | undefined> {
  try {
    const list = JSON.parse(await readFile(path, 'utf8')) as {
      readonly format_version: number;
      readonly files: Readonly<Record<string, { readonly size: number | null }>>;
    };
    if (list.format_version !== 1) return undefined;
    return Object.entries(list.files).map(([file, { size }]) => ({
      path: file,
      sizeBytes: size ?? undefined,
    }));
  } catch {
    return undefined;
  }
}
