import { readdirSync, statSync, type Stats } from 'node:fs';
import { join } from 'node:path';

/**
 * When a folder's files were last read or written. File systems note reads coarsely, some not at all: then it is the time of
 * the download.
 */
export function lastUse(folder: string): Date | undefined {
  let latestMs = 0;
  for (const { atimeMs, mtimeMs } of statsIn(folder)) latestMs = Math.max(latestMs, atimeMs, mtimeMs);
  return latestMs > 0 ? new Date(latestMs) : undefined;
}

/** Bytes on the disk; a file of several names counts once. */
export function diskUse(folder: string): number {
  const sizes = new Map<string, number>();
  for (const { dev, ino, size } of statsIn(folder)) sizes.set(`${dev} ${ino}`, size);
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}

function statsIn(folder: string): readonly Stats[] {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return paths
    .map((path) => statSync(join(folder, path), { throwIfNoEntry: false }))
    .filter((stats): stats is Stats => stats?.isFile() === true);
}
