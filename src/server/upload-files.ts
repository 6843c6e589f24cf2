import { randomUUID } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const prefix = 'slashv1-upload-';
/** Longer than any request lasts. */
const staleMs = 24 * 60 * 60 * 1000;

const swept = new Map<string, Promise<void>>();

/** A path for a file that no other upload has. */
export function newUploadPath(directory: string): string {
  return join(directory, prefix + randomUUID());
}

/** Removes what processes that were killed have left in a directory; once for each directory. */
export function sweepUploads(directory: string): Promise<void> {
  let sweeping = swept.get(directory);
  if (!sweeping) {
    sweeping = removeStale(directory).catch(() => undefined);
    swept.set(directory, sweeping);
  }
  return sweeping;
}

async function removeStale(directory: string): Promise<void> {
  const left = (await readdir(directory)).filter((name) => name.startsWith(prefix));
  await Promise.allSettled(
    left.map(async (name) => {
      const path = join(directory, name);
      if (Date.now() - (await stat(path)).mtimeMs > staleMs) await rm(path, { force: true });
    }),
  );
}
