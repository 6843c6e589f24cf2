import { createHash, type Hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../folder/write-files.ts';
import { readJsonFile } from '../folder/json.ts';

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
  return (await readNote<VerifiedFiles>(noteOf(folder))) ?? {};
}

/** Notes the files of a snapshot that were compared. In a cache that may only be read nothing is noted. */
export async function writeVerified(folder: string, files: VerifiedFiles): Promise<void> {
  const note = JSON.stringify({ format_version: 1, files }, null, 1);
  // Where it fails, the next load compares once more.
  await replaceFile(noteOf(folder), note).catch(() => undefined);
}

/** The files that a note in the cache lists; `undefined` also for one that a newer program has written. */
export async function readNote<Files>(path: string): Promise<Files | undefined> {
  const { format_version: version, files } = (await readJsonFile(path)) ?? {};
  return version === 1 ? (files as Files) : undefined;
}

function noteOf(folder: string): string {
  return join(dirname(dirname(folder)), 'verified', `${basename(folder)}.json`);
}

/** The hash of a file's bytes: `sha256` of them, or `git-sha1`, git's id of a blob of them. */
export interface ContentHash {
  readonly algorithm: 'sha256' | 'git-sha1';
  /** Lower case. */
  readonly hex: string;
}

/** Reads a hash as the hub writes it into headers and listings: 64 digits of SHA-256, 40 of git's SHA-1. */
export function parseContentHash(text: string | null | undefined): ContentHash | undefined {
  const hex = text?.replace(/^W\//, '').replaceAll('"', '').toLowerCase() ?? '';
  if (/^[\da-f]{64}$/.test(hex)) return { algorithm: 'sha256', hex };
  return /^[\da-f]{40}$/.test(hex) ? { algorithm: 'git-sha1', hex } : undefined;
}

/**
 * Makes the hash that takes the bytes of a file, piece by piece.
 * @param sizeBytes of the whole file, which a git id begins with
 */
export function createContentHash(algorithm: ContentHash['algorithm'], sizeBytes: number): Hash {
  return algorithm === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${sizeBytes}\0`);
}
