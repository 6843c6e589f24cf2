import { readFile, rename, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldError, InferenceError, orElse } from '../errors.ts';
import type { Dtype, FileEvidence, ModelFiles } from '../contracts/files.ts';
import type { HubOptions } from '../contracts/model.ts';
import { assertDtype } from '../folder/graph-files.ts';
import { ggufFiles } from '../folder/gguf/gguf-source.ts';
import { markFiles, readConfigIn } from './describe-model.ts';
import { parseJson } from './json.ts';
import { sourceError } from '../folder/model-files.ts';
import { parseSource } from '../folder/source.ts';
import { downloadFile } from './download.ts';
import type { ListedFile, Listing, RemoteFile } from './file-list.ts';
import { withFileLock } from './file-lock.ts';
import { inParallel } from './in-parallel.ts';
import type { CachedListing } from './model-cache.ts';
import { chooseFiles, type Choice } from './needed-files.ts';
import { createProgressMeter, type DownloadProgress } from './progress.ts';
import { listRepository, probeChoice, probeFiles, toListing, unlessUnreachable } from './repository.ts';
import { toRemoteModel, type RemoteModel } from './remote-model.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { resolveHubSettings } from './settings.ts';
import { readVerified, stateOf, writeVerified } from './verified-files.ts';
import { quote } from '../core/text/quote.ts';

/** The model to obtain. */
export interface FilesRequest {
  readonly source: string;
  /** Name of its category. */
  readonly category: string;
  /** The files that such models have, by `config.json` where they differ; that is then fetched first. */
  readonly files: ModelFiles | ((evidence: FileEvidence) => ModelFiles);
  readonly dtype?: Dtype | undefined;
  readonly hub?: HubOptions | undefined;
}

/** Progress and time limits of a download. */
export interface ObtainOptions {
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Told what an operator should know and what stops nothing. */
  readonly onWarning?: ((message: string) => void) | undefined;
  readonly signal?: AbortSignal | undefined;
  readonly retry?: Partial<RetryPolicy> | undefined;
}

/** Place of a model on this disk. */
export interface ObtainedModel {
  /** A source without the network: a folder, or what was asked for where that isn't remote. */
  readonly source: string;
  readonly dtype: Dtype | undefined;
}

/** Small files come beside each other; two large ones share the line anyway. */
const parallelDownloads = 4;

/**
 * Sees to it that the files of a model are on this disk, complete and checked: those of its category and dtype, and no others.
 * What isn't remote is left as it is.
 */
export async function obtainFiles(
  { source, category, files, dtype, hub }: FilesRequest,
  { onProgress, onWarning, signal, retry }: ObtainOptions = {},
): Promise<ObtainedModel> {
  if (dtype !== undefined) assertDtype(dtype);
  const parsed = parseSource(source, category);
  const chosen = dtype ?? ('dtype' in parsed ? parsed.dtype : undefined);
  if (parsed.kind === 'local') return { source, dtype: chosen };
  const settings = resolveHubSettings(hub);
  const terms = { policy: { ...defaultRetryPolicy, ...retry }, signal, onWarning };
  const file = parsed.kind === 'hub' ? parsed.file : undefined;
  const model: WantedModel = {
    ...toRemoteModel(parsed, settings, terms),
    files: file === undefined ? files : ggufFiles(file),
    dtype: chosen,
    revision: parsed.kind === 'hub' ? parsed.revision : `${category}, ${chosen ?? 'auto'}`,
  };
  try {
    const folder = await obtain(model, onProgress);
    return { source: file === undefined ? folder : join(folder, file), dtype: chosen };
  } catch (error) {
    signal?.throwIfAborted();
    throw diskError(error, quote(source), settings.cacheFolder);
  }
}

const configFile = 'config.json';

interface WantedModel extends RemoteModel, Pick<FilesRequest, 'files' | 'dtype'> {
  /** Name under which its commit is kept: probing sees only the files that the choice needs. */
  readonly revision: string;
}

/** @returns the folder */
async function obtain(model: WantedModel, onProgress: ObtainOptions['onProgress']): Promise<string> {
  const { cache, revision, settings } = model;
  const cached = await cache.readListing(revision);
  const isPinned = cached?.isWhole && cached.commit === revision;
  if (settings.offline || (isPinned && isComplete(model, cached))) return openCached(model, cached);
  const isCached = cached !== undefined && isComplete(model, cached);
  const listing = await unlessUnreachable(model, isCached, (asked) => list({ ...model, ...asked }));
  if (listing === undefined) return openCached(model, cached);
  await complete(model, listing, onProgress);
  return cache.snapshot(listing.commit);
}

async function complete(
  model: WantedModel,
  listing: Listing,
  onProgress: ObtainOptions['onProgress'],
): Promise<void> {
  const { cache } = model;
  const missingOf = (files: readonly RemoteFile[]): readonly RemoteFile[] =>
    files.filter((file) => !cache.has(listing.commit, file));
  const configs = missingOf(configsAmong(model, listing.files));
  if (configs.length > 0) {
    await cache.prepare(listing);
    await download(model, listing, configs, { fetched: [] });
  }
  const missing = missingOf(chooseFrom(model, listing));
  try {
    await cache.prepare(listing);
    if (missing.length > 0) await download(model, listing, missing, { fetched: configs, onProgress });
    await cache.writeRef(model.revision, listing.commit);
  } catch (error) {
    // A cache that may only be read serves as well, where nothing is missing.
    if (missing.length > 0) throw error;
  }
}

/** The files by which the others are chosen. */
function configsAmong<File extends ListedFile>(
  { files: wanted }: WantedModel,
  files: readonly File[],
): readonly File[] {
  return typeof wanted === 'function' ? files.filter(({ path }) => path === configFile) : [];
}

async function list(model: WantedModel): Promise<Listing> {
  const { source } = model;
  if (source.kind === 'hub') return listRepository(model, source);
  return toListing(await probeChoice(model, source.base, await choiceAt(source.base, model)));
}

async function choiceAt(base: string, model: WantedModel): Promise<Choice> {
  const { cache, files, dtype } = model;
  if (typeof files !== 'function') return { files, dtype };
  const marks = await probeFiles(model, base, markFiles);
  const config = marks.files.find(({ path }) => path === configFile);
  if (config && !cache.hasBlob(config)) {
    await cache.prepareFolders();
    await withFileLock(cache.lock(config), () => fetchBlob(model, config), model);
  }
  const text = config && (await readFile(cache.blob(config), 'utf8'));
  try {
    return { files: files({ files: marks.files, config: parseJson(text) ?? {} }), dtype };
  } catch (error) {
    // Storage may forbid what it doesn't have.
    throw (config ? undefined : marks.refused[0]) ?? error;
  }
}

async function download(
  model: WantedModel,
  { commit }: Listing,
  missing: readonly RemoteFile[],
  { fetched, onProgress }: { readonly fetched: readonly RemoteFile[] } & Pick<ObtainOptions, 'onProgress'>,
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

/** Files that were compared as they came need not be compared when they are loaded. */
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
 * Puts a file into the snapshot of a commit.
 * @returns whether this process has received it, and compared it with its hash
 */
async function place(
  model: RemoteModel,
  commit: string,
  file: RemoteFile,
  onReceived: (receivedBytes: number) => void,
): Promise<boolean> {
  const { cache } = model;
  const work = async (): Promise<boolean> => {
    // Another process may have been faster, or another commit has the same file.
    if (cache.has(commit, file)) return false;
    const isNew = !cache.hasBlob(file);
    if (isNew) await fetchBlob(model, file, onReceived);
    await cache.place(commit, file, isNew);
    return isNew;
  };
  return withFileLock(cache.lock(file), work, model);
}

async function fetchBlob(
  model: RemoteModel,
  file: RemoteFile,
  onReceived?: (receivedBytes: number) => void,
): Promise<void> {
  const { cache } = model;
  const part = cache.part(file);
  await downloadFile(model, file, part, { onReceived });
  await rename(part, cache.blob(file)).catch((error: unknown) => {
    // A process that took the lock over has done it.
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
    neededBytes += Math.max(0, (file.sizeBytes ?? 0) - (await sizeOf(cache.part(file))));
  }
  const { bavail, bsize } = await statfs(cacheFolder);
  if (bavail * bsize >= neededBytes) return;
  throw fieldError(
    'source',
    `${label} needs ${megabytes(neededBytes)} more in ${cacheFolder}, where ${megabytes(bavail * bsize)} are free; SLASHV1_CACHE names another folder`,
    { code: 'worker_failed' },
  );
}

function openCached(model: WantedModel, cached: CachedListing | undefined): string {
  const { cache, label, revision, settings } = model;
  const absent = cached ? absentFrom(model, cached) : undefined;
  if (!cached || absent!.length > 0) {
    const which = absent ? `: ${absent.join(', ')} of it` : '';
    throw sourceError(
      `${label} (${revision}) is not in the cache ${settings.cacheFolder}${which}, and offline mode is on: load it once with the network`,
    );
  }
  if (!cached.isWhole)
    model.onWarning?.(
      `source: the cache has no list of the files of ${label}. Going on with those that are there.`,
    );
  return cache.snapshot(cached.commit);
}

function isComplete(model: WantedModel, cached: CachedListing): boolean {
  // It throws where a graph is lacking.
  return orElse(() => absentFrom(model, cached).length === 0, false);
}

function absentFrom(model: WantedModel, { commit, files, isWhole }: CachedListing): readonly string[] {
  const isAbsent = (file: ListedFile): boolean => !model.cache.has(commit, file);
  const configs = configsAmong(model, files).filter(isAbsent);
  const label = isWhole ? model.label : `the cached part of ${model.label}`;
  const absent =
    configs.length > 0 ? configs : chooseFrom({ ...model, label }, { commit, files }).filter(isAbsent);
  return absent.map(({ path }) => path);
}

/** @param listing with its config files in the cache */
function chooseFrom<File extends ListedFile>(
  { cache, label, files: wanted, dtype }: WantedModel,
  { commit, files }: { commit: string; files: readonly File[] },
): readonly File[] {
  const chosen =
    typeof wanted === 'function' ? wanted({ files, config: readConfigIn(cache.snapshot(commit)) }) : wanted;
  const byPath = new Map(files.map((file) => [file.path, file]));
  const paths = chooseFiles(label, [...byPath.keys()], { files: chosen, dtype });
  return paths.map((path) => byPath.get(path)!);
}

async function sizeOf(path: string): Promise<number> {
  return (await stat(path).catch(() => undefined))?.size ?? 0;
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6)} MB`;
}

/** Says what is wrong with the disk; everything else is passed on. */
function diskError(error: unknown, label: string, cacheFolder: string): unknown {
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
