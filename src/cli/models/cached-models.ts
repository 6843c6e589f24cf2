import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { findCatalogueEntry } from '../../models/catalogue.ts';
import { listCachedModels, type CachedModel } from '../../models/hub/model-cache.ts';
import { diskUse, lastUse } from './folder-use.ts';

/** A model that is on this disk. */
export interface CachedModelRow extends CachedModel {
  readonly lastUsed: Date | undefined;
}

/** A download that has not come to its end. */
export interface UnfinishedDownload {
  readonly folder: string;
  readonly sizeBytes: number;
}

/** What a cache folder holds. */
export interface CacheContents {
  readonly models: readonly CachedModelRow[];
  readonly unfinished: readonly UnfinishedDownload[];
}

export async function readCache(cacheFolder: string): Promise<CacheContents> {
  const models = await listCachedModels(cacheFolder);
  const whole = new Set(models.map(({ folder }) => basename(join(folder, '..', '..'))));
  const root = join(cacheFolder, 'models');
  const others = existsSync(root) ? readdirSync(root).filter((name) => !whole.has(name)) : [];
  return {
    models: models.map(withLastUse),
    unfinished: others
      .map((name) => join(root, name))
      .map((folder) => ({ folder, sizeBytes: diskUse(folder) }))
      .filter(({ sizeBytes }) => sizeBytes > 0),
  };
}

function withLastUse(model: CachedModel): CachedModelRow {
  return { ...model, lastUsed: existsSync(model.folder) ? lastUse(model.folder) : undefined };
}

/** The name under which a cache keeps what a user calls so: without aliases and revisions, an address with its slash. */
export function cachedName(name: string): string {
  if (/^https?:\/\//.test(name)) return name.endsWith('/') ? name : `${name}/`;
  return (findCatalogueEntry(name)?.source ?? name).replace(/@.*$/s, '');
}
