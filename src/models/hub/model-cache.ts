import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { link, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Listing, RemoteFile } from './repository.ts';

/** Which files a model had when it was last asked for. */
export interface CachedListing extends Listing {
  /** As `source` spells it, without the revision. */
  readonly source: string;
  readonly revision: string;
}

/**
 * What is kept of one repository:
 *
 * - `listings/<revision>.json`: its files, as last seen,
 * - `snapshots/<commit>/…`: its files by their names, each complete and checked,
 * - `blobs/<identity>`: the same files by their content, so that a new commit needs only what has changed.
 */
export class RepositoryCache {
  readonly folder: string;

  /** @param source as users spell it, without the revision */
  constructor(cacheFolder: string, host: string, source: string) {
    this.folder = join(cacheFolder, 'models', toFileName(`${host} ${source}`));
  }

  /** The folder that the model is loaded from. */
  snapshot(commit: string): string {
    return join(this.folder, 'snapshots', commit);
  }

  /** Where the content of a file is put; `.part` and `.lock` beside it belong to it. */
  blob({ identity }: RemoteFile): string {
    return join(this.folder, 'blobs', identity);
  }

  /** Whether a file is there as a whole. */
  has(commit: string, file: RemoteFile): boolean {
    return isWhole(join(this.snapshot(commit), file.path), file);
  }

  /** Whether the content of a file is there as a whole. */
  hasBlob(file: RemoteFile): boolean {
    return isWhole(this.blob(file), file);
  }

  /** Gives a blob its name in a snapshot. Another process may be doing the same, and a third one read it already. */
  async place(commit: string, file: RemoteFile): Promise<void> {
    const path = join(this.snapshot(commit), file.path);
    await mkdir(dirname(path), { recursive: true });
    if (existsSync(path) && !this.has(commit, file)) await rm(path, { force: true });
    try {
      await link(this.blob(file), path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return;
      // Some file systems have no links; then the file has its place in the snapshot alone.
      if (!this.has(commit, file)) await rename(this.blob(file), path);
    }
  }

  async readListing(revision: string): Promise<CachedListing | undefined> {
    return readListing(this.#listingPath(revision));
  }

  async writeListing(listing: CachedListing): Promise<void> {
    const path = this.#listingPath(listing.revision);
    await mkdir(dirname(path), { recursive: true });
    const draft = `${path}.${randomUUID()}`;
    await writeFile(draft, JSON.stringify(listing));
    await rename(draft, path);
  }

  async prepare(): Promise<void> {
    await mkdir(join(this.folder, 'blobs'), { recursive: true });
  }

  #listingPath(revision: string): string {
    return join(this.folder, 'listings', `${toFileName(revision)}.json`);
  }
}

/** A downloaded model. */
export interface CachedModel {
  /** As `source` spells it, without the revision. */
  readonly source: string;
  readonly revision: string;
  readonly commit: string;
  readonly folder: string;
  /** Of the files that are there. */
  readonly sizeBytes: number;
}

/** All models that are in a cache, in the order of their names. */
export async function listCachedModels(cacheFolder: string): Promise<readonly CachedModel[]> {
  const root = join(cacheFolder, 'models');
  const models: CachedModel[] = [];
  for (const repository of await namesIn(root)) {
    const names = await namesIn(join(root, repository, 'listings'));
    for (const name of names.filter((one) => one.endsWith('.json'))) {
      const listing = await readListing(join(root, repository, 'listings', name));
      if (!listing) continue;
      const { source, revision, commit, files } = listing;
      const folder = join(root, repository, 'snapshots', commit);
      const sizes = files.map(
        ({ path }) => statSync(join(folder, path), { throwIfNoEntry: false })?.size ?? 0,
      );
      models.push({
        source,
        revision,
        commit,
        folder,
        sizeBytes: sizes.reduce((sum, size) => sum + size, 0),
      });
    }
  }
  return models.sort((a, b) => (a.source < b.source ? -1 : 1));
}

/**
 * Removes a model with all its revisions.
 *
 * @param source as `listCachedModels` spells it
 * @returns whether it was there
 */
export async function removeCachedModel(cacheFolder: string, source: string): Promise<boolean> {
  const models = (await listCachedModels(cacheFolder)).filter((model) => model.source === source);
  for (const { folder } of models) await rm(join(folder, '..', '..'), { recursive: true, force: true });
  return models.length > 0;
}

function isWhole(path: string, { sizeBytes }: RemoteFile): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (sizeBytes === undefined || found.size === sizeBytes);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return existsSync(folder) ? readdir(folder) : [];
}

async function readListing(path: string): Promise<CachedListing | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as CachedListing;
  } catch {
    // Not there, or torn by a crash: the same as never asked.
    return undefined;
  }
}

/** A readable name that no other text shares. */
function toFileName(text: string): string {
  const readable = text.replaceAll(/[^\w.-]+/g, '-').slice(0, 100);
  return `${readable}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}
