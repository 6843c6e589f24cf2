import { rename, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldError, InferenceError } from '../errors.ts';
import { downloadFile } from './download.ts';
import type { RemoteFile } from './file-list.ts';
import { withFileLock } from './file-lock.ts';
import { createProgressMeter, type DownloadProgress } from './progress.ts';
import type { RemoteModel } from './remote-model.ts';
import { readVerified, stateOf, writeVerified } from './verified-files.ts';
import { limitConcurrency } from '../concurrency/limit-concurrency.ts';

/** Small files are downloaded in parallel; two large ones share the bandwidth anyway. */
const parallelDownloads = 4;

interface FetchOptions {
  /** Files downloaded earlier, for the progress. */
  readonly fetched: readonly RemoteFile[];
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
}

/** Downloads the missing files of a commit into its snapshot in the cache. */
export async function fetchFiles(
  model: RemoteModel,
  commit: string,
  missing: readonly RemoteFile[],
  { fetched, onProgress }: FetchOptions,
): Promise<void> {
  await assertSpace(model, missing);
  const meter = createProgressMeter(model.name, [...fetched, ...missing], onProgress);
  for (const file of fetched) {
    meter.receive(file)(file.sizeBytes ?? 0);
    meter.end(file);
  }
  const received: RemoteFile[] = [];
  await inParallel(missing, parallelDownloads, model.signal, async (file, signal) => {
    const isReceived = await place({ ...model, signal }, commit, file, meter.receive(file));
    if (isReceived) received.push(file);
    meter.end(file);
  });
  if (received.length > 0) await noteVerified(model.cache.snapshot(commit), received);
}

/** Files that were verified during download needn't be verified again at load. */
async function noteVerified(folder: string, received: readonly RemoteFile[]): Promise<void> {
  const states = await Promise.all(
    received.map(
      async ({ path, hash }) => [path, hash && (await stateOf(join(folder, path), hash))] as const,
    ),
  );
  const known = states.filter((state): state is [string, string] => state[1] !== undefined);
  await writeVerified(folder, { ...(await readVerified(folder)), ...Object.fromEntries(known) });
}

/**
 * Places a file in the snapshot of a commit.
 * @returns whether this process has downloaded and verified it
 */
async function place(
  model: RemoteModel,
  commit: string,
  file: RemoteFile,
  onReceived: (receivedBytes: number) => void,
): Promise<boolean> {
  const { cache } = model;
  const work = async (): Promise<boolean> => {
    // A parallel process may have been faster, or a different commit has the same file.
    if (cache.has(commit, file)) return false;
    const isNew = !cache.hasBlob(file);
    if (isNew) await fetchBlob(model, file, onReceived);
    await cache.place(commit, file, isNew);
    return isNew;
  };
  return withFileLock(cache.lock(file), work, model);
}

/** Downloads the content of a file, independent of its name in a snapshot. */
export async function fetchBlob(
  model: RemoteModel,
  file: RemoteFile,
  onReceived?: (receivedBytes: number) => void,
): Promise<void> {
  const { cache } = model;
  const part = cache.part(file);
  await downloadFile(model, file, part, { onReceived });
  await rename(part, cache.blob(file)).catch((error: unknown) => {
    // A process that took over the lock may have downloaded it.
    if (!cache.hasBlob(file)) throw error;
  });
}

async function assertSpace(
  { cache, label, settings: { cacheFolder } }: RemoteModel,
  missing: readonly RemoteFile[],
): Promise<void> {
  let neededBytes = 0;
  for (const file of missing) {
    if (cache.hasBlob(file)) continue;
    neededBytes += Math.max(
      0,
      (file.sizeBytes ?? 0) - ((await stat(cache.part(file)).catch(() => undefined))?.size ?? 0),
    );
  }
  const { bavail, bsize } = await statfs(cacheFolder);
  if (bavail * bsize >= neededBytes) return;
  throw fieldError(
    'source',
    `${label} needs ${megabytes(neededBytes)} more in ${cacheFolder}, where ${megabytes(bavail * bsize)} are free; SLASHV1_CACHE names another folder`,
    { code: 'worker_failed' },
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

/** Explains disk errors; all remaining errors are returned unchanged. */
export function diskError(error: unknown, label: string, cacheFolder: string): unknown {
  const { code = '', syscall } = error as NodeJS.ErrnoException;
  if (InferenceError.isInstance(error) || syscall === undefined) return error;
  const reasons: Readonly<Record<string, string>> = {
    ENOENT: `files of ${label} were removed from the cache folder ${cacheFolder} during the download; load it again`,
    ENOSPC: `the cache folder ${cacheFolder} is full; SLASHV1_CACHE names another one`,
  };
  const reason =
    (syscall === 'mkdir' ? undefined : reasons[code === 'EDQUOT' ? 'ENOSPC' : code]) ??
    `the cache folder ${cacheFolder} can't be used (${code}); SLASHV1_CACHE names another one`;
  return fieldError('source', reason, { code: 'worker_failed', cause: error });
}

/** Processes all items, `width` at a time. If one fails, the rest are aborted and have stopped when this rejects. */
export async function inParallel<Item>(
  items: readonly Item[],
  width: number,
  signal: AbortSignal | undefined,
  task: (item: Item, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const failure = new AbortController();
  const whole = signal ? AbortSignal.any([signal, failure.signal]) : failure.signal;
  const limit = limitConcurrency(width);
  const work = (item: Item): Promise<void> =>
    limit(() => task(item, whole), { signal: whole }).catch((error: unknown) => failure.abort(error));
  await Promise.all(items.map(work));
  signal?.throwIfAborted();
  failure.signal.throwIfAborted();
}
