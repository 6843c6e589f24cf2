import { readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { InferenceError } from '../errors.ts';
import { catalogue, findCatalogueEntry, type CatalogueEntry } from '../models/catalogue.ts';
import { openUrl, refusal, type Remote } from '../models/hub/http.ts';
import { RepositoryCache } from '../models/hub/model-cache.ts';
import { possibleFiles, possibleWeightFiles } from '../models/hub/needed-files.ts';
import { listRepository, probeFiles, type RemoteFile } from '../models/hub/repository.ts';
import { defaultRetryPolicy, withRetries } from '../models/hub/retry.ts';
import { resolveHubSettings, type HubOptions, type HubSettings } from '../models/hub/settings.ts';
import type { ModelCategory } from '../models/model-files.ts';
import { bundledModels, locateModel, parseSource, type RemoteSource } from '../models/source.ts';
import { detectCategory } from './category.ts';

type Json = Readonly<Record<string, unknown>>;

export interface DescribedFile {
  /** Within the model, separated by `/`. */
  readonly path: string;
  /** `undefined` where the server doesn't tell. */
  readonly sizeBytes: number | undefined;
}

/** A model as its small files describe it; its weights may be far away. */
export interface DescribedModel {
  readonly source: string;
  readonly kind: 'bundled' | 'folder' | 'address' | 'hub';
  readonly category: ModelCategory;
  /** Of the catalogue, where it is in there. */
  readonly entry: CatalogueEntry | undefined;
  /** On this disk. */
  readonly folder: string | undefined;
  readonly files: readonly DescribedFile[];
  /** `undefined` where there is no such file, or it is no JSON. */
  readJson(path: string): Promise<Json | undefined>;
  /** `undefined` where there is no such file. */
  readText(path: string): Promise<string | undefined>;
}

export interface DescribeOptions {
  readonly hub?: HubOptions | undefined;
  /** What the user says; otherwise it is found out. */
  readonly category?: ModelCategory | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Finds out what a model is without downloading its weights.
 *
 * @throws InferenceError where there is no such model, it can't be reached, or nothing shows its category
 */
export async function describeModel(
  source: string,
  { hub, category: given, signal }: DescribeOptions = {},
): Promise<DescribedModel> {
  const entry = findCatalogueEntry(source);
  // A category that the catalogue contradicts is refused here, before anything is fetched.
  const parsed = parseSource(source, given ?? entry?.category ?? '');
  const settings = resolveHubSettings(hub);
  const place =
    parsed.kind === 'local'
      ? openFolder(source)
      : await openRemote(parsed, settings, { category: given, signal });
  const readJson = async (path: string): Promise<Json | undefined> => parseJson(await place.readText(path));
  const category = given ?? entry?.category ?? (await detectCategory({ ...place, readJson }));
  if (category === undefined) {
    throw new InferenceError(
      'invalid_request',
      `source: nothing in ${JSON.stringify(source)} shows what kind of model it is; say it with category`,
      { param: 'category' },
    );
  }
  return { ...place, source, category, entry, readJson };
}

/** Names of the catalogue and of the bundled models, for suggestions. */
export const knownModels: readonly string[] = [...bundledModels, ...Object.keys(catalogue)];

type Place = Pick<DescribedModel, 'kind' | 'folder' | 'files' | 'readText'>;

function openFolder(source: string): Place {
  const folder = locateModel(source);
  return {
    kind: (bundledModels as readonly string[]).includes(source) ? 'bundled' : 'folder',
    folder,
    files: filesIn(folder),
    readText: (path) => readFile(join(folder, path), 'utf8').catch(() => undefined),
  };
}

function filesIn(folder: string): readonly DescribedFile[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((path) => ({ path: path.replaceAll(sep, '/'), stats: statSync(join(folder, path)) }))
    .filter(({ stats }) => stats.isFile())
    .map(({ path, stats }) => ({ path, sizeBytes: stats.size }))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function openRemote(
  source: RemoteSource,
  settings: HubSettings,
  { category, signal }: Pick<DescribeOptions, 'category' | 'signal'>,
): Promise<Place> {
  const access = { policy: defaultRetryPolicy, signal };
  const remote = toRemote(source, settings);
  if (source.kind === 'hub') {
    const cache = new RepositoryCache(settings.cacheFolder, remote.host, source.id);
    const cached = await cache.readListing(source.revision);
    if (settings.offline && !cached) throw offline(remote);
    const listing = settings.offline
      ? cached!
      : await listRepository(remote, { endpoint: settings.endpoint, ...source }, access);
    const snapshot = cache.snapshot(listing.commit);
    return {
      kind: 'hub',
      folder: listing.files.some((file) => cache.has(listing.commit, file)) ? snapshot : undefined,
      files: listing.files,
      async readText(path) {
        const file = listing.files.find((one) => one.path === path);
        if (!file) return undefined;
        if (cache.has(listing.commit, file)) return readFile(join(snapshot, path), 'utf8');
        return settings.offline ? undefined : fetchText(remote, file, access);
      },
    };
  }
  if (settings.offline) throw offline(remote);
  const probe = async (paths: readonly string[]): Promise<readonly RemoteFile[]> =>
    (await probeFiles(remote, source.base, paths, access)).files;
  const marks = await probe(['config.json', 'model_index.json', 'modules.json', 'voices/af_heart.bin']);
  const readText = (path: string): Promise<string | undefined> =>
    fetchText(remote, { path, url: source.base + path }, access);
  const found =
    category ??
    (await detectCategory({ files: marks, readJson: async (path) => parseJson(await readText(path)) }));
  if (found === undefined) return { kind: 'address', folder: undefined, files: marks, readText };
  const files = await probe(possibleFiles({ category: found }));
  const paths = files.map(({ path }) => path);
  const weights = await probe(possibleWeightFiles(remote.label, paths, { category: found }));
  return { kind: 'address', folder: undefined, files: [...files, ...weights], readText };
}

function toRemote(source: RemoteSource, { endpoint, token }: HubSettings): Remote {
  const name = source.kind === 'hub' ? source.id : source.base;
  return {
    host: new URL(source.kind === 'hub' ? endpoint : source.base).host,
    tokenOrigin: new URL(endpoint).origin,
    token,
    label: JSON.stringify(name),
    page: source.kind === 'hub' ? `${endpoint}/${name}` : undefined,
  };
}

type Access = Parameters<typeof withRetries>[1];

async function fetchText(
  remote: Remote,
  { path, url }: Pick<RemoteFile, 'path' | 'url'>,
  access: Access,
): Promise<string | undefined> {
  return withRetries(async () => {
    const timeout = AbortSignal.timeout(access.policy.stallMs);
    const signal = access.signal ? AbortSignal.any([access.signal, timeout]) : timeout;
    const answer = await openUrl(remote, url, { signal });
    const { status } = answer.response;
    if (status === 404 || status === 410) return undefined;
    if (status !== 200) throw refusal(answer, remote, { file: path });
    return answer.response.text();
  }, access);
}

function parseJson(text: string | undefined): Json | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null ? (value as Json) : undefined;
  } catch {
    return undefined;
  }
}

function offline({ label }: Remote): InferenceError {
  return new InferenceError(
    'invalid_request',
    `source: ${label} is not in the cache, and offline mode is on: load it once with the network`,
    { param: 'source' },
  );
}
