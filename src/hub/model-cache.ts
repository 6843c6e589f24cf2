import { createHash, randomUUID } from 'node:crypto';
import { existsSync, statSync } from 'node:fs';
import { copyFile, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { makeFolder, replaceFile, filesIn } from '../folder/file-system.ts';
import { lockOwners } from './file-lock.ts';
import { formatFileList, readFileList, type ListedFile, type Listing, type RemoteFile } from './file-list.ts';

/** The files of a model when it was last listed. */
export interface CachedListing {
  readonly commit: string;
  readonly files: readonly ListedFile[];
  /** Whether these are all files of the repository, instead of only the files in the cache. */
  readonly isWhole: boolean;
}

/** Suffix of incomplete downloads; no other program writes to such files. */
const partSuffix = '.slashv1.incomplete';

/** Folder of models from URLs, next to the hub's models. */
const addressFolder = 'slashv1';

/**
 * A model in the cache shared with Hugging Face's libraries.
 * @param source without the revision: `org/name`, or the URL of a folder
 * @see https://huggingface.co/docs/huggingface_hub/guides/manage-cache
 */
export class RepositoryCache {
  readonly folder: string;
  /** The folder from which the model is loaded. */
  readonly snapshot = (commit: string): string => join(this.folder, 'snapshots', commit);
  readonly blob = ({ identity }: RemoteFile): string => join(this.folder, 'blobs', identity);
  /** A blob while it may be incomplete. */
  readonly part = (file: RemoteFile): string => `${this.blob(file)}${partSuffix}`;
  /** Different from the lock of huggingface_hub, which uses a system call that Node.js doesn't have. */
  readonly lock = ({ identity }: RemoteFile): string => join(this.#locks, `${identity}.slashv1.lock`);
  readonly #tree = (commit: string): string => join(this.folder, 'trees', `${commit}.json`);
  readonly #source: string;
  readonly #locks: string;

  constructor(cacheFolder: string, source: string) {
    const place = isAddress(source)
      ? join(addressFolder, toFileName(source))
      : `models--${source.replaceAll('/', '--')}`;
    this.#source = source;
    this.folder = join(cacheFolder, place);
    this.#locks = join(cacheFolder, '.locks', place);
  }

  /** Whether a file is complete. */
  has(commit: string, file: ListedFile): boolean {
    return isWhole(join(this.snapshot(commit), file.path), file);
  }

  /** Whether the content of a file is complete. */
  hasBlob(file: RemoteFile): boolean {
    return isWhole(this.blob(file), file);
  }

  /** Links a blob into a snapshot atomically: other processes may read it. */
  async place(commit: string, file: RemoteFile, isNew: boolean): Promise<void> {
    const [blob, path] = [this.blob(file), join(this.snapshot(commit), file.path)];
    const draft = `${blob}.${randomUUID()}${partSuffix}`;
    await makeFolder(dirname(path));
    try {
      await symlink(relative(dirname(path), blob), draft);
    } catch {
      if (isNew) return rename(blob, path);
      await copyFile(blob, draft);
    }
    await rename(draft, path);
  }

  /** @param revision a branch, a tag, a commit or its unique prefix */
  async readListing(revision: string): Promise<CachedListing | undefined> {
    const commit = await this.#commitOf(revision);
    if (commit === undefined) return undefined;
    const listed = await readFileList(this.#tree(commit));
    const files = listed ?? filesIn(this.snapshot(commit));
    return files.length > 0 ? { commit, files, isWhole: listed !== undefined } : undefined;
  }

  /** Creates the download folders. */
  async prepareFolders(): Promise<void> {
    for (const each of [join(this.folder, 'blobs'), this.#locks]) await makeFolder(each);
  }

  /** Creates the folders, and records the files of a snapshot before any arrives. */
  async prepare({ commit, files }: Listing): Promise<void> {
    await this.prepareFolders();
    if (isAddress(this.#source)) await noteText(join(this.folder, 'source'), this.#source);
    if (!(await readFileList(this.#tree(commit)))) await noteText(this.#tree(commit), formatFileList(files));
  }

  /** Records the commit of a revision, once its files have arrived. */
  async writeRef(revision: string, commit: string): Promise<void> {
    if (revision !== commit) await noteText(join(this.folder, 'refs', revision), commit);
  }

  /** Ids of the processes that download parts of it. */
  downloaders(): Promise<readonly number[]> {
    return lockOwners(this.#locks);
  }

  /** Removes the model with all its revisions. */
  async remove(): Promise<boolean> {
    const wasThere = existsSync(this.folder);
    const options = { recursive: true, force: true, maxRetries: 3 };
    await Promise.all([rm(this.folder, options), rm(this.#locks, options)]);
    return wasThere;
  }

  /** All cached revisions, by commit; a revision without a name is called by its commit. */
  async revisions(): Promise<readonly { readonly revision: string; readonly commit: string }[]> {
    const named = await Promise.all(
      filesIn(join(this.folder, 'refs')).map(async ({ path }) => ({
        revision: path,
        commit: (await this.#commitOf(path)) ?? '',
      })),
    );
    return (await namesIn(this.snapshot(''))).flatMap((commit) => {
      const names = named.filter((one) => one.commit === commit);
      return names.length > 0 ? names : [{ revision: commit, commit }];
    });
  }

  /** Whether an unfinished download exists. */
  async hasParts(): Promise<boolean> {
    return (await namesIn(join(this.folder, 'blobs'))).some((name) => name.endsWith(partSuffix));
  }

  async #commitOf(revision: string): Promise<string | undefined> {
    const ref = await readText(join(this.folder, 'refs', revision));
    if (ref !== undefined) return /^[\da-f]{7,64}$/.test(ref) ? ref : undefined;
    if (!/^[\da-f]{7,64}$/.test(revision)) return undefined;
    const commits = await namesIn(this.snapshot(''));
    const [commit, ...others] = commits.filter((one) => one.startsWith(revision));
    return others.length === 0 ? commit : undefined;
  }
}

/** All models with a graph in a cache, downloaded by any program, by name, without the revision. */
export async function listCachedModels(cacheFolder: string) {
  const models: { source: string; revision: string; commit: string; folder: string; sizeBytes: number }[] =
    [];
  for (const source of await listSources(cacheFolder)) {
    const cache = new RepositoryCache(cacheFolder, source);
    const isUnfinished = await cache.hasParts();
    for (const { revision, commit } of await cache.revisions()) {
      if (isUnfinished && revision === commit) continue;
      const folder = cache.snapshot(commit);
      const files = filesIn(folder);
      if (!files.some(({ path }) => path.endsWith('.onnx'))) continue;
      const sizeBytes = files.reduce((sum, file) => sum + file.sizeBytes, 0);
      models.push({ source, revision, commit, folder, sizeBytes });
    }
  }
  return models;
}

/** All models in a cache, as `source` spells them: complete, unfinished, or for different programs. */
export async function listSources(cacheFolder: string): Promise<readonly string[]> {
  const ids = (await namesIn(cacheFolder)).filter((name) => name.startsWith('models--'));
  const addresses = join(cacheFolder, addressFolder);
  const noted = (await namesIn(addresses)).map((name) => readText(join(addresses, name, 'source')));
  const known = (await Promise.all(noted)).filter((source) => source !== undefined);
  return [...ids.map((name) => name.slice('models--'.length).replaceAll('--', '/')), ...known].sort();
}

function isAddress(source: string): boolean {
  return /^https?:/.test(source);
}

function isWhole(path: string, { sizeBytes }: Pick<ListedFile, 'sizeBytes'>): boolean {
  const found = statSync(path, { throwIfNoEntry: false });
  return found !== undefined && (sizeBytes === undefined || found.size === sizeBytes);
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return existsSync(folder) ? readdir(folder) : [];
}

async function readText(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

/** A read-only cache already contains it. */
async function noteText(path: string, text: string): Promise<void> {
  if ((await readText(path)) !== text) await replaceFile(path, text);
}

function toFileName(text: string): string {
  const readable = text.replaceAll(/[^\w.-]+/g, '-').slice(0, 100);
  return `${readable}-${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
}
