import { didYouMean } from '../../core/text/suggest.ts';
import { InferenceError } from '../../errors.ts';
import { findCatalogueEntry } from '../../folder/catalogue.ts';
import { listCachedModels, listSources, RepositoryCache } from '../../hub/model-cache.ts';
import { statsIn } from '../../folder/file-system.ts';

export type CacheContents = Awaited<ReturnType<typeof readCache>>;

/** The content of a cache folder: models, and unfinished downloads. */
export async function readCache(cacheFolder: string) {
  const models = await listCachedModels(cacheFolder);
  const whole = new Set(models.map(({ source }) => source));
  const unfinished: { readonly folder: string; readonly sizeBytes: number }[] = [];
  for (const source of await listSources(cacheFolder)) {
    const cache = new RepositoryCache(cacheFolder, source);
    if (whole.has(source) || !(await cache.hasParts())) continue;
    unfinished.push({ folder: cache.folder, sizeBytes: diskUse(cache.folder) });
  }
  const used = models.map((model) => Object.assign({}, model, { lastUsed: lastUse(model.folder) }));
  return { models: used, unfinished };
}

/** The error of a model that isn't cached. @param source the cache's name of it */
export function notCached(
  name: string,
  { source, cacheFolder, known }: { source: string; cacheFolder: string; known: readonly string[] },
): InferenceError {
  const hint = didYouMean(source, known);
  return new InferenceError('model_not_found', `${name} is not in ${cacheFolder}.${hint}`);
}

/** The cache's name of a model: without aliases and revisions, an address with its slash. */
export function cachedName(name: string): string {
  if (/^https?:\/\//.test(name)) return name.endsWith('/') ? name : `${name}/`;
  return (findCatalogueEntry(name)?.source ?? name).replace(/@.*$/s, '');
}

/**
 * When a folder's files were last read or written. File systems record reads coarsely or not at all: then it is the
 * time of the download.
 */
function lastUse(folder: string): Date | undefined {
  let latestMs = 0;
  for (const { stats } of statsIn(folder)) latestMs = Math.max(latestMs, stats.atimeMs, stats.mtimeMs);
  return latestMs > 0 ? new Date(latestMs) : undefined;
}

/** Bytes on disk; a file with several names counts once. */
export function diskUse(folder: string): number {
  const sizes = new Map<string, number>();
  for (const { stats } of statsIn(folder)) sizes.set(`${stats.dev} ${stats.ino}`, stats.size);
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
}
