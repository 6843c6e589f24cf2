import type { DescribedFile } from '../contracts/files.ts';
import { parseContentHash, readNote, type ContentHash } from './verified-files.ts';
import { orElse } from '../errors.ts';

export interface ListedFile extends DescribedFile {
  /** `undefined` if the server reports none. */
  readonly hash?: ContentHash | undefined;
}

/** A file that can be downloaded. */
export interface RemoteFile extends ListedFile {
  readonly url: string;
  /** `undefined` if the server reports none. */
  readonly hash: ContentHash | undefined;
  /** A name for the content: other content has another one. Fit for a file's name. */
  readonly identity: string;
  /** Git's id of it, or of the pointer to it; `undefined` if the server reports none. */
  readonly blobId?: string | undefined;
  /** Strong, as the server wrote it. */
  readonly etag: string | undefined;
}

/** The files of a model at one time. */
export interface Listing {
  /** Another one for other files. */
  readonly commit: string;
  readonly files: readonly RemoteFile[];
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

interface ListEntry {
  readonly size: number | null;
  readonly blob_id?: string;
  readonly lfs_sha256?: string;
}

/** Another server than a hub may give its files ids that are no hashes. */
function hashOf({ blob_id: id, lfs_sha256: sha256 }: ListEntry): ContentHash | undefined {
  const hash = parseContentHash(sha256 ?? id);
  return sha256 !== undefined || hash?.algorithm === 'git-sha1' ? hash : undefined;
}

/** @returns `undefined` where there is none, it is damaged, or a newer program has written it */
export async function readFileList(path: string): Promise<readonly ListedFile[] | undefined> {
  const files = await readNote<Readonly<Record<string, ListEntry>>>(path);
  return orElse(
    () =>
      files &&
      Object.entries(files).map(([file, entry]) => ({
        path: file,
        sizeBytes: entry.size ?? undefined,
        hash: hashOf(entry),
      })),
    undefined,
  );
}
