import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dtype, FileEvidence, ModelFiles } from '../contracts/files.ts';
import { quote } from '../core/text/quote.ts';
import { orElse } from '../errors.ts';
import { readConfigIn } from '../folder/evidence.ts';
import { parseJson } from '../folder/json.ts';
import { sourceError } from '../folder/model-files.ts';
import { markFiles } from './describe-remote.ts';
import { diskError, fetchBlob, fetchFiles } from './fetch-files.ts';
import type { ListedFile, Listing, RemoteFile } from './file-list.ts';
import { withFileLock } from './file-lock.ts';
import type { CachedListing } from './model-cache.ts';
import { chooseFiles } from './needed-files.ts';
import type { DownloadProgress } from './progress.ts';
import type { RemoteModel } from './remote-model.ts';
import { listRepository, probeChoice, probeFiles, toListing, unlessUnreachable } from './repository.ts';

interface FileChoice {
  readonly files: ModelFiles;
}

/** The files to obtain. */
export interface FilesRequest<Choice extends FileChoice> {
  /** Name of its category. */
  readonly category: string;
  /** Selects the files; by `config.json` if they depend on it, which is then fetched first. */
  readonly choice: Choice | ((evidence: FileEvidence) => Choice);
  readonly dtype?: Dtype | undefined;
}

/** A model's location on this disk. */
export interface ObtainedModel {
  /** A local source: a folder, or the requested source if it isn't remote. */
  readonly source: string;
  readonly dtype: Dtype | undefined;
}

type OnProgress = ((progress: DownloadProgress) => void) | undefined;

/**
 * Ensures that the files of a model are on this disk, complete and verified: only the files of its category and dtype.
 * @returns also the choice; `undefined` for a model that is one file
 */
export async function obtainFiles<Choice extends FileChoice>(
  model: RemoteModel,
  { category, choice, dtype = model.dtype }: FilesRequest<Choice>,
  onProgress?: OnProgress,
): Promise<ObtainedModel & { readonly choice?: Choice | undefined }> {
  try {
    if (model.single) {
      const wanted = new WantedFiles(model, { category, choice: { files: model.single } });
      return { source: join(await wanted.obtain(onProgress), model.single.path), dtype };
    }
    const wanted = new WantedFiles(model, { category, choice, dtype });
    return { source: await wanted.obtain(onProgress), dtype, choice: wanted.choice };
  } catch (error) {
    model.signal?.throwIfAborted();
    throw diskError(error, quote(model.given), model.settings.cacheFolder);
  }
}

const configFile = 'config.json';

/** The required files of a model, from its server or the cache. */
class WantedFiles<Choice extends FileChoice> {
  /** The latest choice. */
  choice: Choice | undefined;
  readonly #model: RemoteModel;
  /** The revision name of its commit: probing only sees the files that the choice needs. */
  readonly #revision: string;
  readonly #wanted: FilesRequest<Choice>;

  constructor(model: RemoteModel, wanted: FilesRequest<Choice>) {
    const { source } = model;
    const { category, dtype = 'auto' } = wanted;
    this.#model = model;
    this.#revision = source.kind === 'hub' ? source.revision : `${category}, ${dtype}`;
    this.#wanted = wanted;
  }

  /** @returns the folder */
  async obtain(onProgress: OnProgress): Promise<string> {
    const { cache, settings } = this.#model;
    const cached = await cache.readListing(this.#revision);
    // Throws if a graph is missing.
    const isCached = cached !== undefined && orElse(() => this.#absentFrom(cached).length === 0, false);
    const isPinned = cached?.isWhole && cached.commit === this.#revision;
    if (settings.offline || (isPinned && isCached)) return this.#openCached(cached);
    const listing = await unlessUnreachable(this.#model, isCached, (asked) => this.#list(asked));
    if (listing === undefined) return this.#openCached(cached);
    await this.#complete(listing, onProgress);
    return cache.snapshot(listing.commit);
  }

  async #list(model: RemoteModel): Promise<Listing> {
    const { source } = model;
    if (source.kind === 'hub') return listRepository(model, source);
    const { files } = await this.#chooseAt(model, source.base);
    return toListing(await probeChoice(model, source.base, { files, dtype: this.#wanted.dtype }));
  }

  async #chooseAt(model: RemoteModel, base: string): Promise<Choice> {
    const { choice } = this.#wanted;
    if (typeof choice !== 'function') return choice;
    const { cache } = model;
    const marks = await probeFiles(model, base, markFiles);
    const config = marks.files.find(({ path }) => path === configFile);
    if (config && !cache.hasBlob(config)) {
      await cache.prepareFolders();
      await withFileLock(cache.lock(config), () => fetchBlob(model, config), model);
    }
    const text = config && (await readFile(cache.blob(config), 'utf8'));
    try {
      return choice({ files: marks.files, config: parseJson(text) ?? {} });
    } catch (error) {
      // Storage may respond with 403 for missing files.
      throw (config ? undefined : marks.refused[0]) ?? error;
    }
  }

  async #complete(listing: Listing, onProgress: OnProgress): Promise<void> {
    const { commit, files } = listing;
    const { cache } = this.#model;
    const missingOf = (wanted: readonly RemoteFile[]): readonly RemoteFile[] =>
      wanted.filter((file) => !cache.has(commit, file));
    const configs = missingOf(this.#configsAmong(files));
    if (configs.length > 0) {
      await cache.prepare(listing);
      await fetchFiles(this.#model, commit, configs, { fetched: [] });
    }
    const missing = missingOf(this.#chooseFrom(listing));
    try {
      await cache.prepare(listing);
      if (missing.length > 0)
        await fetchFiles(this.#model, commit, missing, { fetched: configs, onProgress });
      await cache.writeRef(this.#revision, commit);
    } catch (error) {
      // A read-only cache works too, if no file is missing.
      if (missing.length > 0) throw error;
    }
  }

  #openCached(cached: CachedListing | undefined): string {
    const { cache, label, settings, onWarning } = this.#model;
    const absent = cached && this.#absentFrom(cached);
    if (!cached || absent!.length > 0) {
      const which = absent ? `: ${absent.join(', ')} of it` : '';
      throw sourceError(
        `${label} (${this.#revision}) is not in the cache ${settings.cacheFolder}${which}, and offline mode is on: load it once with the network`,
      );
    }
    if (!cached.isWhole)
      onWarning?.(
        `source: the cache has no list of the files of ${label}. Going on with those that are there.`,
      );
    return cache.snapshot(cached.commit);
  }

  /** Paths of the required files that a cached listing lacks. */
  #absentFrom(cached: CachedListing): readonly string[] {
    const { cache, label } = this.#model;
    const isAbsent = (file: ListedFile): boolean => !cache.has(cached.commit, file);
    const configs = this.#configsAmong(cached.files).filter(isAbsent);
    const name = cached.isWhole ? label : `the cached part of ${label}`;
    const absent = configs.length > 0 ? configs : this.#chooseFrom(cached, name).filter(isAbsent);
    return absent.map(({ path }) => path);
  }

  /** The files that determine the choice. */
  #configsAmong<File extends ListedFile>(files: readonly File[]): readonly File[] {
    const isByConfig = typeof this.#wanted.choice === 'function';
    return isByConfig ? files.filter(({ path }) => path === configFile) : [];
  }

  /** @param listing with its config files in the cache */
  #chooseFrom<File extends ListedFile>(
    { commit, files }: { readonly commit: string; readonly files: readonly File[] },
    label = this.#model.label,
  ): readonly File[] {
    const { choice, dtype } = this.#wanted;
    this.choice =
      typeof choice === 'function'
        ? choice({ files, config: readConfigIn(this.#model.cache.snapshot(commit)) })
        : choice;
    const byPath = new Map(files.map((file) => [file.path, file]));
    const paths = chooseFiles(label, [...byPath.keys()], { files: this.choice.files, dtype });
    return paths.map((path) => byPath.get(path)!);
  }
}
