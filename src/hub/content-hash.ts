import { createHash } from 'node:crypto';

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

/** Takes the bytes of a file, piece by piece. */
export interface ContentHasher {
  update(bytes: Uint8Array): void;
  /** Once, at the end. */
  hex(): string;
}

/** @param sizeBytes of the whole file, which a git id begins with */
export function createContentHasher(algorithm: ContentHash['algorithm'], sizeBytes: number): ContentHasher {
  const hash = createHash(algorithm === 'sha256' ? 'sha256' : 'sha1');
  if (algorithm === 'git-sha1') hash.update(`blob ${sizeBytes}\0`);
  return {
    update: (bytes) => void hash.update(bytes),
    hex: () => hash.digest('hex'),
  };
}
