import { readdirSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { fieldError, type InferenceError } from '../errors.ts';
import { catalogue, findCatalogueEntry, type CatalogueEntry } from './catalogue.ts';
import { openUrl, refusal, toRemote, type Remote } from './hub/http.ts';
import { RepositoryCache } from './hub/model-cache.ts';
import { possibleFiles, possibleWeightFiles } from './hub/needed-files.ts';
import { listRepository, probeFiles, type RemoteFile } from './hub/repository.ts';
import { defaultRetryPolicy, withRetries } from './hub/retry.ts';
import { resolveHubSettings, type HubOptions, type HubSettings } from './hub/settings.ts';
import type { ModelFiles } from './model-files.ts';
import { bundledModels, findFolder, locateModel, parseSource, type RemoteSource } from './source.ts';
import { quote } from '../core/text/quote.ts';

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
  readonly category: string;
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
  readonly category?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** The files that tell what a model is. */
export interface FileEvidence {
  readonly files: readonly { readonly path: string }[];
  /** `config.json`; empty where there is none. */
  readonly config: Json;
}

/** Everything that must be known of categories to describe a model. */
export interface CategoryGuide {
  /** `undefined` where no category knows such files. */
  recognize(evidence: FileEvidence): string | undefined;
  filesOf(category: string): ModelFiles;
}

/**
 * Finds out what a model is without downloading its weights.
 *
 * @throws InferenceError where there is no such model, it can't be reached, or nothing shows its category
 */
export async function describeModel(
  source: string,
  { hub, category: given, signal }: DescribeOptions,
  guide: CategoryGuide,
): Promise<DescribedModel> {
  const entry = findCatalogueEntry(source);
  // A category that the catalogue contradicts is refused here, before anything is fetched.
  const parsed = parseSource(source, given);
  const settings = resolveHubSettings(hub);
  const place =
    parsed.kind === 'local'
      ? openFolder(source)
      : await openRemote(parsed, settings, { category: given, signal }, guide);
  const readJson = async (path: string): Promise<Json | undefined> => parseJson(await place.readText(path));
  const category =
    given ??
    entry?.category ??
    guide.recognize({ files: place.files, config: (await readJson('config.json')) ?? {} });
  if (category === undefined) {
    throw fieldError(
      'category',
      `nothing in ${quote(source)} shows what kind of model it is; say it with category`,
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
  guide: CategoryGuide,
): Promise<Place> {
  const access = { policy: defaultRetryPolicy, signal };
  const remote = toRemote(source, settings);
  if (source.kind === 'hub') {
    const cache = new RepositoryCache(settings.cacheFolder, source.id);
    const cached = await cache.readListing(source.revision);
    if (settings.offline && !cached) throw offline(remote);
    const listing = settings.offline
      ? undefined
      : await listRepository(remote, { endpoint: settings.endpoint, ...source }, access);
    const { commit, files } = listing ?? cached!;
    const snapshot = cache.snapshot(commit);
    return {
      kind: 'hub',
      folder: files.some((file) => cache.has(commit, file)) ? snapshot : undefined,
      files,
      async readText(path) {
        const isWanted = (file: DescribedFile): boolean => file.path === path;
        if (files.some((file) => isWanted(file) && cache.has(commit, file))) {
          return readFile(join(snapshot, path), 'utf8');
        }
        const file = listing?.files.find(isWanted);
        return file && fetchText(remote, file, access);
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
    category ?? guide.recognize({ files: marks, config: parseJson(await readText('config.json')) ?? {} });
  if (found === undefined) return { kind: 'address', folder: undefined, files: marks, readText };
  const choice = { files: guide.filesOf(found) };
  const files = await probe(possibleFiles(choice));
  const paths = files.map(({ path }) => path);
  const weights = await probe(possibleWeightFiles(remote.label, paths, choice));
  return { kind: 'address', folder: undefined, files: [...files, ...weights], readText };
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
  return fieldError(
    'source',
    `${label} is not in the cache, and offline mode is on: load it once with the network`,
  );
}

/**
 * The category of a model that is on this disk or in the catalogue, as far as its files show it.
 *
 * @throws InferenceError `invalid_request` for a bundled model whose package is missing
 */
export function recognizeAtHand(source: string, guide: CategoryGuide): string | undefined {
  const entry = findCatalogueEntry(source);
  if (entry) return entry.category;
  if (parseSource(source).kind !== 'local') return undefined;
  const folder = findFolder(source);
  if (folder === undefined) return undefined;
  let config: Json | undefined;
  try {
    config = parseJson(readFileSync(join(folder, 'config.json'), 'utf8'));
  } catch {
    // Models of several graphs have none.
  }
  return guide.recognize({ files: filesIn(folder), config: config ?? {} });
}
