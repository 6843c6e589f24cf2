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
  /** A name for the content: different content has a different name. Valid as a file name. */
  readonly identity: string;
  /** The git id of the file or of its LFS pointer; `undefined` if the server doesn't report it. */
  readonly blobId?: string | undefined;
  /** Strong, as sent by the server. */
  readonly etag: string | undefined;
}

/** The files of a model at one time. */
export interface Listing {
  /** Changes with the files. */
  readonly commit: string;
  readonly files: readonly RemoteFile[];
}

/**
 * Formats a commit's list of files as `trees/<commit>.json` of the Hugging Face cache. A blob's id is git's; for a file
 * in LFS, the id of its pointer.
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

/** A different server may use ids that aren't hashes. */
function hashOf({ blob_id: id, lfs_sha256: sha256 }: ListEntry): ContentHash | undefined {
  const hash = parseContentHash(sha256 ?? id);
  return sha256 !== undefined || hash?.algorithm === 'git-sha1' ? hash : undefined;
}

/** @returns `undefined` if the list is missing, damaged, or from a newer version */
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
