import { readFile, rename, stat, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { fieldError, InferenceError, orElse } from '../errors.ts';
import { assertDtype, type Dtype } from '../folder/graph-files.ts';
import { ggufFiles } from '../folder/gguf/gguf-source.ts';
import { markFiles, readConfigIn, type FileEvidence } from './describe-model.ts';
import { parseJson } from './json.ts';
import { type ModelFiles, sourceError } from '../folder/model-files.ts';
import { parseSource, type RemoteSource } from '../folder/source.ts';
import { downloadFile } from './download.ts';
import type { ListedFile, RemoteFile } from './file-list.ts';
import { withFileLock } from './file-lock.ts';
import { toRemote, type Remote } from './http.ts';
import { inParallel } from './in-parallel.ts';
import { RepositoryCache, type CachedListing } from './model-cache.ts';
import { chooseFiles, type Choice } from './needed-files.ts';
import { createProgressMeter, type DownloadProgress } from './progress.ts';
import {
  listRepository,
  probeChoice,
  probeFiles,
  toListing,
  unlessUnreachable,
  type Access,
  type Listing,
} from './repository.ts';
import { defaultRetryPolicy, type RetryPolicy } from './retry.ts';
import { resolveHubSettings, type HubOptions, type HubSettings } from './settings.ts';
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
  const access = { policy: { ...defaultRetryPolicy, ...retry }, signal };
  const file = parsed.kind === 'hub' ? parsed.file : undefined;
  const wanted = file === undefined ? files : ggufFiles(file);
  const model = new RemoteModel(parsed, { category, files: wanted, dtype: chosen }, settings, access);
  try {
    const folder = await model.obtain({ onProgress, onWarning });
    return { source: file === undefined ? folder : join(folder, file), dtype: chosen };
  } catch (error) {
    signal?.throwIfAborted();
    throw diskError(error, quote(source), settings.cacheFolder);
  }
}

const configFile = 'config.json';

class RemoteModel {
  readonly #source: RemoteSource;
  readonly #wanted: Pick<FilesRequest, 'files' | 'category' | 'dtype'>;
  readonly #settings: HubSettings;
  readonly #access: Access;
  /** Name for users, without the revision. */
  readonly #name: string;
  readonly #remote: Remote;
  readonly #cache: RepositoryCache;
  /** Name under which its commit is kept: probing sees only the files that the choice needs. */
  readonly #revision: string;

  constructor(
    source: RemoteSource,
    wanted: Pick<FilesRequest, 'files' | 'category' | 'dtype'>,
    settings: HubSettings,
    access: Access,
  ) {
    this.#source = source;
    this.#wanted = wanted;
    this.#settings = settings;
    this.#access = access;
    this.#name = source.kind === 'hub' ? source.id : source.base;
    this.#remote = toRemote(source, settings);
    this.#cache = new RepositoryCache(settings.cacheFolder, this.#name);
    this.#revision =
      source.kind === 'hub' ? source.revision : `${wanted.category}, ${wanted.dtype ?? 'auto'}`;
  }

  /** @returns the folder */
  async obtain({ onProgress, onWarning }: ObtainOptions): Promise<string> {
    const cached = await this.#cache.readListing(this.#revision);
    const isPinned = cached?.isWhole && cached.commit === this.#revision;
    if (this.#settings.offline || (isPinned && this.#isComplete(cached)))
      return this.#openCached(cached, onWarning);
    const isCached = cached !== undefined && this.#isComplete(cached);
    const fallback = { isCached, cacheFolder: this.#settings.cacheFolder, onWarning };
    const listing = await unlessUnreachable(this.#remote, fallback, this.#access, (access) =>
      this.#list(access),
    );
    if (listing === undefined) return this.#openCached(cached, onWarning);
    await this.#complete(listing, onProgress);
    return this.#cache.snapshot(listing.commit);
  }

  async #complete(listing: Listing, onProgress: ObtainOptions['onProgress']): Promise<void> {
    const configs = this.#missing(listing, this.#configsAmong(listing.files));
    if (configs.length > 0) {
      await this.#cache.prepare(listing);
      await this.#download(listing, configs, { fetched: [] });
    }
    const missing = this.#missing(listing, this.#chooseFrom(listing));
    try {
      await this.#cache.prepare(listing);
      if (missing.length > 0) await this.#download(listing, missing, { fetched: configs, onProgress });
      await this.#cache.writeRef(this.#revision, listing.commit);
    } catch (error) {
      // A cache that may only be read serves as well, where nothing is missing.
      if (missing.length > 0) throw error;
    }
  }

  #missing({ commit }: Listing, files: readonly RemoteFile[]): readonly RemoteFile[] {
    return files.filter((file) => !this.#cache.has(commit, file));
  }

  /** The files by which the others are chosen. */
  #configsAmong<File extends ListedFile>(files: readonly File[]): readonly File[] {
    if (typeof this.#wanted.files !== 'function') return [];
    return files.filter(({ path }) => path === configFile);
  }

  async #list(access: Access): Promise<Listing> {
    if (this.#source.kind === 'url') {
      const { base } = this.#source;
      return toListing(await probeChoice(this.#remote, base, await this.#choiceAt(base, access), access));
    }
    const { id, revision } = this.#source;
    return listRepository(this.#remote, { endpoint: this.#settings.endpoint, id, revision }, access);
  }

  async #choiceAt(base: string, access: Access): Promise<Choice> {
    const { files, dtype } = this.#wanted;
    if (typeof files !== 'function') return { files, dtype };
    const marks = await probeFiles(this.#remote, base, markFiles, access);
    const config = marks.files.find(({ path }) => path === configFile);
    if (config && !this.#cache.hasBlob(config)) {
      await this.#cache.prepareFolders();
      await withFileLock(this.#cache.lock(config), () => this.#fetchBlob(config, access), access);
    }
    const text = config && (await readFile(this.#cache.blob(config), 'utf8'));
    try {
      return { files: files({ files: marks.files, config: parseJson(text) ?? {} }), dtype };
    } catch (error) {
      // Storage may forbid what it doesn't have.
      throw (config ? undefined : marks.refused[0]) ?? error;
    }
  }

  async #download(
    { commit }: Listing,
    missing: readonly RemoteFile[],
    { fetched, onProgress }: { readonly fetched: readonly RemoteFile[] } & Pick<ObtainOptions, 'onProgress'>,
  ): Promise<void> {
    await this.#assertSpace(missing);
    const meter = createProgressMeter(this.#name, [...fetched, ...missing], onProgress);
    for (const file of fetched) {
      meter.receive(file)(file.sizeBytes ?? 0);
      meter.end(file);
    }
    const received: RemoteFile[] = [];
    await inParallel(missing, parallelDownloads, this.#access.signal, async (file, signal) => {
      const options = { ...this.#access, signal, onReceived: meter.receive(file) };
      if (await this.#downloadFile(commit, file, options)) received.push(file);
      meter.end(file);
    });
    if (received.length > 0) await this.#noteVerified(commit, received);
  }

  /** Files that were compared as they came need not be compared when they are loaded. */
  async #noteVerified(commit: string, received: readonly RemoteFile[]): Promise<void> {
    const folder = this.#cache.snapshot(commit);
    const states = await Promise.all(
      received.map(
        async ({ path, hash }) => [path, hash && (await stateOf(join(folder, path), hash))] as const,
      ),
    );
    const known = states.filter((state): state is [string, string] => state[1] !== undefined);
    await writeVerified(folder, { ...(await readVerified(folder)), ...Object.fromEntries(known) });
  }

  /** @returns whether this process has received it, and compared it with its hash */
  async #downloadFile(
    commit: string,
    file: RemoteFile,
    options: Parameters<typeof downloadFile>[3],
  ): Promise<boolean> {
    let isReceived = false;
    const work = async (): Promise<void> => {
      // Another process may have been faster, or another commit has the same file.
      if (this.#cache.has(commit, file)) return;
      const isNew = !this.#cache.hasBlob(file);
      if (isNew) {
        await this.#fetchBlob(file, options);
        isReceived = true;
      }
      await this.#cache.place(commit, file, isNew);
    };
    await withFileLock(this.#cache.lock(file), work, { signal: options.signal });
    return isReceived;
  }

  async #fetchBlob(file: RemoteFile, options: Parameters<typeof downloadFile>[3]): Promise<void> {
    const part = this.#cache.part(file);
    await downloadFile(this.#remote, file, part, options);
    try {
      await rename(part, this.#cache.blob(file));
    } catch (error) {
      // A process that took the lock over has done it.
      if (!this.#cache.hasBlob(file)) throw error;
    }
  }

  async #assertSpace(missing: readonly RemoteFile[]): Promise<void> {
    let neededBytes = 0;
    for (const file of missing) {
      if (this.#cache.hasBlob(file)) continue;
      neededBytes += Math.max(0, (file.sizeBytes ?? 0) - (await sizeOf(this.#cache.part(file))));
    }
    const { bavail, bsize } = await statfs(this.#settings.cacheFolder);
    if (bavail * bsize >= neededBytes) return;
    throw fieldError(
      'source',
      `${this.#remote.label} needs ${megabytes(neededBytes)} more in ${this.#settings.cacheFolder}, where ${megabytes(bavail * bsize)} are free; SLASHV1_CACHE names another folder`,
      { code: 'worker_failed' },
    );
  }

  #openCached(cached: CachedListing | undefined, onWarning: ObtainOptions['onWarning']): string {
    const absent = cached ? this.#absentFrom(cached) : undefined;
    if (!cached || absent!.length > 0) {
      const which = absent ? `: ${absent.join(', ')} of it` : '';
      throw sourceError(
        `${this.#remote.label} (${this.#revision}) is not in the cache ${this.#settings.cacheFolder}${which}, and offline mode is on: load it once with the network`,
      );
    }
    if (!cached.isWhole) {
      onWarning?.(
        `source: the cache has no list of the files of ${this.#remote.label}. Going on with those that are there.`,
      );
    }
    return this.#cache.snapshot(cached.commit);
  }

  #isComplete(cached: CachedListing): boolean {
    // It throws where a graph is lacking.
    return orElse(() => this.#absentFrom(cached).length === 0, false);
  }

  #absentFrom({ commit, files, isWhole }: CachedListing): readonly string[] {
    const isAbsent = (file: ListedFile): boolean => !this.#cache.has(commit, file);
    const configs = this.#configsAmong(files).filter(isAbsent);
    const name = isWhole ? this.#remote.label : `the cached part of ${this.#remote.label}`;
    const absent = configs.length > 0 ? configs : this.#chooseFrom({ commit, files }, name).filter(isAbsent);
    return absent.map(({ path }) => path);
  }

  /** @param listing with its config files in the cache */
  #chooseFrom<File extends ListedFile>(
    { commit, files }: { commit: string; files: readonly File[] },
    name = this.#remote.label,
  ): readonly File[] {
    const { files: wanted, dtype } = this.#wanted;
    const chosen =
      typeof wanted === 'function'
        ? wanted({ files, config: readConfigIn(this.#cache.snapshot(commit)) })
        : wanted;
    const byPath = new Map(files.map((file) => [file.path, file]));
    const paths = chooseFiles(name, [...byPath.keys()], { files: chosen, dtype });
    return paths.map((path) => byPath.get(path)!);
  }
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
