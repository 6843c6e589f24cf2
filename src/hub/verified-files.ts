import { createHash, type Hash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { replaceFile } from '../folder/file-system.ts';
import { readJsonFile } from '../folder/json.ts';

/** A file's state in the file system when its content was verified: `algorithm:hex size mtimeMs inode`. */
type FileState = string;

/** The verified files of a downloaded model, by path. */
export type VerifiedFiles = Readonly<Record<string, FileState>>;

/**
 * The state of a file; `undefined` if missing. It changes if the file is replaced or written to, but not if its disk goes bad.
 */
export async function stateOf(path: string, hash: ContentHash): Promise<FileState | undefined> {
  const found = await stat(path).catch(() => undefined);
  return found && `${hash.algorithm}:${hash.hex} ${found.size} ${found.mtimeMs} ${found.ino}`;
}

export async function readVerified(folder: string): Promise<VerifiedFiles> {
  return (await readNote<VerifiedFiles>(noteOf(folder))) ?? {};
}

/** Records the verified files of a snapshot, except in a read-only cache. */
export async function writeVerified(folder: string, files: VerifiedFiles): Promise<void> {
  const note = JSON.stringify({ format_version: 1, files }, null, 1);
  // If it fails, the next load verifies again.
  await replaceFile(noteOf(folder), note).catch(() => undefined);
}

/** The files in a cache note; `undefined` also for a note from a newer version. */
export async function readNote<Files>(path: string): Promise<Files | undefined> {
  const { format_version: version, files } = (await readJsonFile(path)) ?? {};
  return version === 1 ? (files as Files) : undefined;
}

function noteOf(folder: string): string {
  return join(dirname(dirname(folder)), 'verified', `${basename(folder)}.json`);
}

/** The hash of a file's bytes: `sha256`, or `git-sha1`, the git id of a blob. */
export interface ContentHash {
  readonly algorithm: 'sha256' | 'git-sha1';
  /** Lower case. */
  readonly hex: string;
}

/** Parses a hash from the hub's headers and listings: 64 digits of SHA-256, 40 of git's SHA-1. */
export function parseContentHash(text: string | null | undefined): ContentHash | undefined {
  const hex = text?.replace(/^W\//, '').replaceAll('"', '').toLowerCase() ?? '';
  if (/^[\da-f]{64}$/.test(hex)) return { algorithm: 'sha256', hex };
  return /^[\da-f]{40}$/.test(hex) ? { algorithm: 'git-sha1', hex } : undefined;
}

/**
 * Creates the hash of a file's bytes, to be updated piece by piece.
 * @param sizeBytes of the whole file, which prefixes a git id's input
 */
export function createContentHash(algorithm: ContentHash['algorithm'], sizeBytes: number): Hash {
  return algorithm === 'sha256' ? createHash('sha256') : createHash('sha1').update(`blob ${sizeBytes}\0`);
}
