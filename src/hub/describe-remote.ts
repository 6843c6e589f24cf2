import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { DescribedFile, FileEvidence, ModelFiles, ModelPlace } from '../contracts/files.ts';
import { readGgufMetadata, type GgufMetadata } from '../core/gguf/read-metadata.ts';
import { orThrow } from '../errors.ts';
import { readGgufFile, categoryOfGguf, firstTokenizerKey } from '../folder/gguf/gguf-folder.ts';
import { parseJson } from '../folder/json.ts';
import { sourceError } from '../folder/model-files.ts';
import type { RemoteSource } from '../folder/source.ts';
import { readWhole } from '../runtime/http/answer-body.ts';
import type { RemoteFile } from './file-list.ts';
import { askServer, readAnswer, refusal, type HubResponse, type Remote } from './http.ts';
import { toFileTree } from './needed-files.ts';
import type { RemoteModel } from './remote-model.ts';
import { listRepository, probeChoice, probeFiles, unlessUnreachable } from './repository.ts';

/** Files that identify the kind of a model, for servers without listings. */
export const markFiles = ['config.json', 'model_index.json', 'modules.json', 'voices/af_heart.bin'] as const;

/**
 * Finds the files of a model on a server, or in the cache, without downloading its weights.
 * @param filesOf selects the files to probe on a server without listings; `undefined` if the category is unknown
 */
export async function openRemote(
  model: RemoteModel,
  category: string | undefined,
  filesOf: (evidence: FileEvidence) => ModelFiles | undefined,
): Promise<ModelPlace> {
  const { source } = model;
  if (source.kind === 'hub') return openHub(model, source, category);
  const cached = await openCachedAddress(model, category);
  const found = await askOnline(model, cached !== undefined, (asked) =>
    probeAddress(asked, source.base, filesOf),
  );
  return found ?? cached!;
}

/** Asks the server unless offline; if it is unreachable, the cache serves the model. */
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
): Promise<ModelPlace> {
  const { cache } = model;
  const cached = await cache.readListing(source.revision);
  const listing = await askOnline(model, cached !== undefined, (asked) => listRepository(asked, source));
  const { commit, files } = listing ?? cached!;
  const snapshot = cache.snapshot(commit);
  const isHere = (file: DescribedFile): boolean => cache.has(commit, file);
  const find = <File extends DescribedFile>(all: readonly File[] | undefined, path: string) =>
    all?.find((file) => file.path === path);
  if (!model.single) {
    return {
      kind: 'hub',
      folder: files.some(isHere) ? snapshot : undefined,
      files,
      async readText(path) {
        const [known, remote] = [find(files, path), find(listing?.files, path)];
        if (known && isHere(known)) return readFile(join(snapshot, path), 'utf8');
        return remote && fetchText(model, remote);
      },
    };
  }
  const { path, graphs } = model.single;
  const paths = graphs(
    toFileTree(
      source.id,
      files.map((file) => file.path),
    ),
  );
  const cachedFile = files.find((file) => file.path === path && isHere(file));
  const readMetadata = () =>
    cachedFile
      ? readGgufFile(join(snapshot, path), { until: firstTokenizerKey })
      : fetchGguf(model, find(listing?.files, path));
  const metadata = category === undefined ? await readMetadata() : undefined;
  return {
    kind: 'hub',
    folder: cachedFile && snapshot,
    files: files.filter((file) => paths.includes(file.path)),
    readText: async () => undefined,
    category: metadata && categoryOfGguf(metadata),
  };
}

async function probeAddress(
  remote: Remote,
  base: string,
  filesOf: (evidence: FileEvidence) => ModelFiles | undefined,
): Promise<ModelPlace> {
  const readText = (path: string): Promise<string | undefined> =>
    fetchText(remote, { path, url: base + path });
  const { files: marks } = await probeFiles(remote, base, markFiles);
  const wanted = filesOf({ files: marks, config: parseJson(await readText('config.json')) ?? {} });
  const files = wanted ? await probeChoice(remote, base, { files: wanted }) : marks;
  return { kind: 'address', folder: undefined, files, readText };
}

/** A folder's files as last downloaded; its revisions are categories with dtypes. */
async function openCachedAddress(
  { cache }: RemoteModel,
  category: string | undefined,
): Promise<ModelPlace | undefined> {
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

/** The metadata before the vocabulary takes a few kilobytes. */
const beginningBytes = 2 ** 20;

async function fetchGguf(remote: Remote, file: RemoteFile | undefined): Promise<GgufMetadata | undefined> {
  if (!file) return undefined;
  const headers = { range: `bytes=0-${beginningBytes - 1}` };
  const readBeginning = async (answer: HubResponse, signal: AbortSignal): Promise<Uint8Array> => {
    const { status } = answer.response;
    if (status !== 200 && status !== 206) throw refusal(answer, remote, { file: file.path });
    // A server without range requests sends the whole file.
    return readWhole(answer.response, { signal, enough: beginningBytes });
  };
  const bytes = await askServer(remote, file.url, readBeginning, { headers });
  return orThrow(
    () => readGgufMetadata(bytes, { until: firstTokenizerKey }),
    ({ message }) => sourceError(`${file.path} of ${remote.label} can't be read as GGUF: ${message}`),
  );
}
