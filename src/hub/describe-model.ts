import type { FileEvidence, Json, ModelFiles } from '../contracts/files.ts';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { fieldError, orThrow } from '../errors.ts';
import { bundledModelNames } from '../folder/bundled-models.ts';
import { catalogue, findCatalogueEntry, type CatalogueEntry } from '../folder/catalogue.ts';
import { readGgufMetadata, type GgufMetadata } from '../core/gguf/read-metadata.ts';
import { filesIn } from '../folder/files-in.ts';
import { ggufFiles, isGguf } from '../folder/gguf/gguf-source.ts';
import { readGgufFile, categoryOfGguf, firstTokenizerKey } from '../folder/gguf/gguf-folder.ts';
import { genaiConfigFile, toHubConfig } from '../folder/genai-config.ts';
import { readWhole } from '../runtime/http/answer-body.ts';
import { readAnswer, refusal, type HubResponse, type Remote } from './http.ts';
import { toFileTree } from './needed-files.ts';
import type { RemoteFile } from './file-list.ts';
import { askServer, listRepository, probeChoice, probeFiles, unlessUnreachable } from './repository.ts';
import { toRemoteModel, type RemoteModel } from './remote-model.ts';
import { defaultRetryPolicy } from './retry.ts';
import type { HubOptions } from '../contracts/model.ts';
import { resolveHubSettings } from './settings.ts';
import { sourceError } from '../folder/model-files.ts';
import { findFolder, locateModel, parseSource, type RemoteSource } from '../folder/source.ts';
import { quote } from '../core/text/quote.ts';
import { parseJson } from './json.ts';

export interface DescribedFile {
  /** Within the model, separated by `/`. */
  readonly path: string;
  /** `undefined` if the server reports none. */
  readonly sizeBytes: number | undefined;
}

/** A model as its small files describe it; its weights may be far away. */
export interface DescribedModel {
  readonly source: string;
  readonly kind: 'bundled' | 'folder' | 'file' | 'address' | 'hub';
  readonly category: string;
  /** Entry of the catalogue, if there is one. */
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
  /** The user's choice; detected if left out. */
  readonly category?: string | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Told when the server can't be reached and the cache answers in its place. */
  readonly onWarning?: ((message: string) => void) | undefined;
}

/** Files that show the kind of a model, for servers that list none. */
export const markFiles = ['config.json', 'model_index.json', 'modules.json', 'voices/af_heart.bin'] as const;

/** Everything that must be known of categories to describe a model. */
export interface CategoryGuide {
  /** `undefined` where no category knows such files. */
  recognize(evidence: FileEvidence): string | undefined;
  /** @throws InferenceError `invalid_request` for a category that doesn't exist */
  filesOf(category: string, evidence: FileEvidence): ModelFiles;
}

/** Finds out what a model is without downloading its weights. */
export async function describeModel(
  source: string,
  { hub, category: given, signal, onWarning }: DescribeOptions,
  guide: CategoryGuide,
): Promise<DescribedModel> {
  const entry = findCatalogueEntry(source);
  // A category that the catalogue contradicts is refused here, before anything is fetched.
  const parsed = parseSource(source, given);
  const settings = resolveHubSettings(hub);
  const terms = { policy: defaultRetryPolicy, signal, onWarning };
  const place =
    parsed.kind === 'local'
      ? openFolder(source)
      : await openRemote(toRemoteModel(parsed, settings, terms), given, guide);
  const readFound = async (path: string): Promise<Json | undefined> => parseJson(await place.readText(path));
  const readJson = async (path: string): Promise<Json | undefined> =>
    (await readFound(path)) ??
    (path === 'config.json' ? toHubConfig(await readFound(genaiConfigFile)) : undefined);
  const category =
    given ??
    entry?.category ??
    place.category ??
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
export const knownModels: readonly string[] = [...bundledModelNames, ...Object.keys(catalogue)];

type Place = Pick<DescribedModel, 'kind' | 'folder' | 'files' | 'readText'> & {
  /** Where one file says it. */
  readonly category?: string | undefined;
};

function openFile(path: string): Place {
  return {
    kind: 'file',
    folder: dirname(path),
    files: [{ path: basename(path), sizeBytes: statSync(path).size }],
    readText: async () => undefined,
    category: categoryOfGguf(readGgufFile(path, { until: firstTokenizerKey })),
  };
}

function openFolder(source: string): Place {
  if (isGguf(source) && existsSync(source)) return openFile(source);
  const folder = locateModel(source);
  return {
    kind: bundledModelNames.includes(source) ? 'bundled' : 'folder',
    folder,
    files: filesIn(folder),
    readText: (path) => readFile(join(folder, path), 'utf8').catch(() => undefined),
  };
}

async function openRemote(
  model: RemoteModel,
  category: string | undefined,
  guide: CategoryGuide,
): Promise<Place> {
  const { source } = model;
  if (source.kind === 'hub') return openHub(model, source, category);
  const cached = await openCachedAddress(model, category);
  const found = await askOnline(model, cached !== undefined, (asked) =>
    probeAddress(asked, source.base, category, guide),
  );
  return found ?? cached!;
}

/** Asks the server, unless that is forbidden or it can't be reached while the cache has the model. */
async function askOnline<T>(
  model: RemoteModel,
  isCached: boolean,
  ask: (model: RemoteModel) => Promise<T>,
): Promise<T | undefined> {
  const { offline } = model.settings;
  if (!offline) return unlessUnreachable(model, isCached, ask);
  if (isCached) return undefined;
  throw sourceError(
    `${model.label} is not in the cache, and offline mode is on: load it once with the network`,
  );
}

async function openHub(
  model: RemoteModel,
  source: RemoteSource & { readonly kind: 'hub' },
  category: string | undefined,
): Promise<Place> {
  const { cache } = model;
  const cached = await cache.readListing(source.revision);
  const listing = await askOnline(model, cached !== undefined, (asked) => listRepository(asked, source));
  const { commit, files } = listing ?? cached!;
  const snapshot = cache.snapshot(commit);
  if (source.file !== undefined) {
    const paths = files.map(({ path }) => path);
    const chosen = ggufFiles(source.file).graphs(toFileTree(source.id, paths));
    const wanted = listing?.files.find(({ path }) => path === source.file);
    const isHere = files.some((file) => file.path === source.file && cache.has(commit, file));
    const readBeginning = () =>
      isHere
        ? readGgufFile(join(snapshot, source.file!), { until: firstTokenizerKey })
        : fetchGguf(model, wanted);
    const metadata = category === undefined ? await readBeginning() : undefined;
    return {
      kind: 'hub',
      folder: isHere ? snapshot : undefined,
      files: files.filter(({ path }) => chosen.includes(path)),
      readText: async () => undefined,
      category: metadata && categoryOfGguf(metadata),
    };
  }
  return {
    kind: 'hub',
    folder: files.some((file) => cache.has(commit, file)) ? snapshot : undefined,
    files,
    async readText(path) {
      const isWanted = (file: DescribedFile): boolean => file.path === path;
      if (files.some((file) => isWanted(file) && cache.has(commit, file)))
        return readFile(join(snapshot, path), 'utf8');
      const file = listing?.files.find(isWanted);
      return file && fetchText(model, file);
    },
  };
}

async function probeAddress(
  remote: Remote,
  base: string,
  category: string | undefined,
  guide: CategoryGuide,
): Promise<Place> {
  const readText = (path: string): Promise<string | undefined> =>
    fetchText(remote, { path, url: base + path });
  const { files: marks } = await probeFiles(remote, base, markFiles);
  const evidence = { files: marks, config: parseJson(await readText('config.json')) ?? {} };
  const found = category ?? guide.recognize(evidence);
  if (found === undefined) return { kind: 'address', folder: undefined, files: marks, readText };
  const files = await probeChoice(remote, base, { files: guide.filesOf(found, evidence) });
  return { kind: 'address', folder: undefined, files, readText };
}

/** A folder's files as they were when a model was last obtained from it; its revisions are categories with dtypes. */
async function openCachedAddress(
  { cache }: RemoteModel,
  category: string | undefined,
): Promise<Place | undefined> {
  for (const { revision, commit } of await cache.revisions()) {
    const [found] = revision.split(', ', 1);
    const listing =
      category === undefined || category === found ? await cache.readListing(revision) : undefined;
    if (!listing) continue;
    const folder = cache.snapshot(commit);
    const readText = (path: string): Promise<string | undefined> =>
      readFile(join(folder, path), 'utf8').catch(() => undefined);
    return { kind: 'address', folder, files: listing.files, readText, category: found };
  }
  return undefined;
}

async function fetchText(
  remote: Remote,
  { path, url }: Pick<RemoteFile, 'path' | 'url'>,
): Promise<string | undefined> {
  return askServer(remote, url, async (answer, signal) => {
    const { status } = answer.response;
    if (status === 404 || status === 410) return undefined;
    if (status !== 200) throw refusal(answer, remote, { file: path });
    return readAnswer(answer.response, { signal });
  });
}

/** Metadata before the vocabulary takes a few kilobytes. */
const beginningBytes = 2 ** 20;

async function fetchGguf(remote: Remote, file: RemoteFile | undefined): Promise<GgufMetadata | undefined> {
  if (!file) return undefined;
  const headers = { range: `bytes=0-${beginningBytes - 1}` };
  const readBeginning = async (answer: HubResponse, signal: AbortSignal): Promise<Uint8Array> => {
    const { status } = answer.response;
    if (status !== 200 && status !== 206) throw refusal(answer, remote, { file: file.path });
    // A server that knows no ranges sends the whole file.
    return readWhole(answer.response, { signal, enough: beginningBytes });
  };
  const bytes = await askServer(remote, file.url, readBeginning, { headers });
  return orThrow(
    () => readGgufMetadata(bytes, { until: firstTokenizerKey }),
    ({ message }) => sourceError(`${file.path} of ${remote.label} can't be read as GGUF: ${message}`),
  );
}

/** The category of a model that is on this disk or in the catalogue, as far as its files show it. */
export function recognizeAtHand(source: string, guide: CategoryGuide): string | undefined {
  const entry = findCatalogueEntry(source);
  if (entry) return entry.category;
  if (parseSource(source).kind === 'local' && isGguf(source) && existsSync(source))
    return openFile(source).category;
  const folder = folderAtHand(source);
  return folder === undefined ? undefined : guide.recognize(evidenceIn(folder));
}

/** The config of a model on this disk; `undefined` for one that isn't there. */
export function configAtHand(source: string): Json | undefined {
  const folder = folderAtHand(source);
  return folder === undefined ? undefined : readConfigIn(folder);
}

function folderAtHand(source: string): string | undefined {
  return parseSource(source).kind === 'local' ? findFolder(source) : undefined;
}

/** The files that describe a model that is to be loaded; none for one without a config, such as a GGUF file. */
export function readEvidence(source: string): FileEvidence {
  const folder = findFolder(source);
  if (folder !== undefined) return evidenceIn(folder);
  // A detector may be a graph alone, in a folder or without one.
  return existsSync(source) ? { files: [], config: {} } : evidenceIn(locateModel(source));
}

function evidenceIn(folder: string): FileEvidence {
  return { files: filesIn(folder), config: readConfigIn(folder) };
}

/** The config of a folder in the words of the hub; empty where there is none, as for models of several graphs. */
export function readConfigIn(folder: string): Json {
  return readHere(folder, 'config.json') ?? toHubConfig(readHere(folder, genaiConfigFile)) ?? {};
}

function readHere(folder: string, name: string): Json | undefined {
  const path = join(folder, name);
  return existsSync(path) ? parseJson(readFileSync(path, 'utf8')) : undefined;
}
