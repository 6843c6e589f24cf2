import { randomUUID } from 'node:crypto';
import { readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { makeFolder } from '../folder/make-folder.ts';
import type { ContentHash } from './content-hash.ts';

/** A file as the file system showed it when its content was compared: `algorithm:hex size mtimeMs inode`. */
type FileState = string;

/** The files of a downloaded model whose content was compared with their hashes, by their paths. */
export type VerifiedFiles = Readonly<Record<string, FileState>>;

/**
 * The state of a file; `undefined` for one that isn't there. A file that another one has replaced, or that was written
 * to, has another state; one whose disk has gone bad keeps it.
 */
export async function stateOf(path: string, hash: ContentHash): Promise<FileState | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${hash.algorithm}:${hash.hex} ${found.size} ${found.mtimeMs} ${found.ino}`;
}

/** Reads what was noted about a snapshot of the cache. */
export async function readVerified(folder: string): Promise<VerifiedFiles> {
  try {
    const note = JSON.parse(await readFile(noteOf(folder), 'utf8')) as {
      readonly format_version: number;
      readonly files: VerifiedFiles;
    };
    return note.format_version === 1 ? note.files : {};
  } catch {
    return {};
  }
}

/** Notes the files of a snapshot that were compared. In a cache that may only be read nothing is noted. */
export async function writeVerified(folder: string, files: VerifiedFiles): Promise<void> {
  const path = noteOf(folder);
  const draft = `${path}.${randomUUID()}.tmp`;
  try {
    await makeFolder(dirname(path));
    await writeFile(draft, JSON.stringify({ format_version: 1, files }, null, 1));
    await rename(draft, path);
  } catch {
    // The next load compares once more.
  }
}

function noteOf(folder: string): string {
  return join(dirname(dirname(folder)), 'verified', `${basename(folder)}.json`);
}
