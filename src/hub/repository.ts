import { createHash } from 'node:crypto';
import { InferenceError, sentence } from '../errors.ts';
import { parseContentHash } from './verified-files.ts';
import type { Listing, RemoteFile } from './file-list.ts';
import { askServer, readAnswer, refusal, type HubResponse, type Remote } from './http.ts';
import { inParallel } from './fetch-files.ts';
import { possibleFiles, possibleWeightFiles, type Choice } from './needed-files.ts';
import type { RemoteModel } from './remote-model.ts';
import { TransientError } from './retry.ts';
import { sourceError } from '../folder/model-files.ts';
import { parseJson } from '../folder/json.ts';

/** A file in the hub's listing; with `blobs=true` also its size and hashes. */
interface Sibling {
  readonly rfilename: string;
  readonly size?: number;
  readonly blobId?: string;
  readonly lfs?: { readonly sha256?: string; readonly size?: number } | null;
}

const parallelRequests = 8;

/**
 * Lists all files of a repository.
 * @see https://huggingface.co/docs/hub/api
 */
export async function listRepository(
  model: RemoteModel,
  { id, revision }: { readonly id: string; readonly revision: string },
): Promise<Listing> {
  const { endpoint } = model.settings;
  const url = `${endpoint}/api/models/${id}/revision/${encodeURIComponent(revision)}?blobs=true`;
  const { sha, siblings } = await askServer(model, url, async (answer, signal) => {
    if (answer.response.status !== 200) throw refusal(answer, model, { revision });
    return readListing(answer.response, model, signal);
  });
  return {
    commit: sha,
    files: siblings.map((sibling) => toRemoteFile(sibling, `${endpoint}/${id}/resolve/${sha}`)),
  };
}

/** Asks a server; if it is unreachable and the model is cached, warns and returns `undefined`. */
export async function unlessUnreachable<T>(
  model: RemoteModel,
  isCached: boolean,
  ask: (model: RemoteModel) => Promise<T>,
): Promise<T | undefined> {
  try {
    // With a cached copy, the wait for an unreachable server is short.
    const attempts = Math.min(model.policy.attempts, isCached ? 2 : Infinity);
    return await ask({ ...model, policy: { ...model.policy, attempts } });
  } catch (error) {
    model.signal?.throwIfAborted();
    if (!isCached) throw withoutHub(error, model);
    if (!isUnreachable(error)) throw error;
    model.onWarning?.(`${error.message} Going on with what is in the cache.`);
    return undefined;
  }
}

/** The error for a model that isn't in the cache, with remedies if the hub is unreachable. */
function withoutHub(error: unknown, { page, host, settings }: RemoteModel): unknown {
  if (page === undefined || !isUnreachable(error)) return error;
  const advice = `Set HF_ENDPOINT to a mirror of ${host}, copy the model from a cache of another machine to ${settings.cacheFolder}, or name a folder that has its files`;
  return new InferenceError(error.code, sentence(`${sentence(error.message)} ${advice}`), {
    param: error.param,
    cause: error,
  });
}

/** Whether a server didn't answer, as opposed to a rejection. */
function isUnreachable(error: unknown): error is InferenceError {
  return InferenceError.isInstance(error) && error.code === 'worker_failed';
}

/** Asks a plain server which of the given files it has. */
export async function probeFiles(
  remote: Remote,
  base: string,
  paths: readonly string[],
): Promise<{ readonly files: readonly RemoteFile[]; readonly refused: readonly InferenceError[] }> {
  const files: RemoteFile[] = [];
  const refused: InferenceError[] = [];
  await inParallel(paths, parallelRequests, remote.signal, async (path, signal) => {
    const answer = await probeFile({ ...remote, signal }, base, path);
    if (InferenceError.isInstance(answer)) refused.push(answer);
    else if (answer) files.push(answer);
  });
  return { files, refused };
}

/** The files of a choice on a plain server. In steps, because the possible files depend on the existing ones. */
export async function probeChoice(
  remote: Remote,
  base: string,
  choice: Choice,
): Promise<readonly RemoteFile[]> {
  const { files, refused } = await probeFiles(remote, base, possibleFiles(choice));
  if (files.length === 0 && refused.length > 0) throw refused[0];
  const paths = files.map(({ path }) => path);
  const weights = possibleWeightFiles(remote.label, paths, choice);
  return [...files, ...(await probeFiles(remote, base, weights)).files];
}

/** Derives a commit for files without one. */
export function toListing(files: readonly RemoteFile[]): Listing {
  const lines = files.map(({ path, identity }) => `${path} ${identity}`);
  return { commit: digest(lines.sort().join('\n')), files };
}

async function probeFile(
  remote: Remote,
  base: string,
  path: string,
): Promise<RemoteFile | InferenceError | undefined> {
  const url = base + encodePath(path);
  const describe = (answer: HubResponse): RemoteFile | InferenceError | undefined => {
    const { status } = answer.response;
    if (status === 404 || status === 410) return undefined;
    if (status === 403) return refusal(answer, remote);
    if (status !== 200) throw refusal(answer, remote, { file: path });
    // Some servers respond with a page for a missing file.
    if (answer.header('content-type')?.startsWith('text/html')) return undefined;
    return describeFile(answer, { path, url });
  };
  return askServer(remote, url, describe, { method: 'HEAD', headers: { 'accept-encoding': 'identity' } });
}

function describeFile(
  { response, header }: HubResponse,
  { path, url }: { path: string; url: string },
): RemoteFile {
  const length = header('x-linked-size') ?? response.headers.get('content-length') ?? undefined;
  const size = Number(length ?? Number.NaN);
  const sizeBytes = isSize(size) ? size : undefined;
  const etag = response.headers.get('etag') ?? undefined;
  // Only Hugging Face's ETags are known to be hashes of the content.
  const isHub = header('x-repo-commit') !== undefined;
  const hash = parseContentHash(header('x-linked-etag') ?? (isHub ? etag : undefined));
  const modified = response.headers.get('last-modified') ?? '';
  return {
    path,
    url,
    sizeBytes,
    hash: hash?.algorithm === 'git-sha1' && sizeBytes === undefined ? undefined : hash,
    identity: hash?.hex ?? digest([url, etag ?? '', modified, length ?? ''].join('\n')),
    etag: etag?.startsWith('W/') ? undefined : etag,
  };
}

async function readListing(
  response: Response,
  remote: Remote,
  signal: AbortSignal,
): Promise<{ readonly sha: string; readonly siblings: readonly Sibling[] }> {
  const text = await readAnswer(response, { signal }).catch((error: unknown) => {
    if (InferenceError.isInstance(error)) throw error;
    throw new TransientError(`the list of files of ${remote.label} breaks off`, { cause: error });
  });
  // Reported below, like any other invalid listing.
  const { sha, siblings } = parseJson(text) ?? {};
  const isListing = Array.isArray(siblings) && siblings.every(isSibling);
  if (typeof sha === 'string' && /^[\da-f]{7,64}$/.test(sha) && isListing) return { sha, siblings };
  throw sourceError(`${remote.host} answers with no list of files for ${remote.label}`);
}

function isSibling(value: unknown): value is Sibling {
  const { rfilename, size, blobId, lfs } = (value ?? {}) as Partial<Record<keyof Sibling, unknown>>;
  const { sha256, size: lfsSize } = (lfs ?? {}) as Partial<Record<string, unknown>>;
  const areTexts = [blobId, sha256].every((text) => typeof (text ?? '') === 'string');
  return typeof rfilename === 'string' && areTexts && [size, lfsSize].every(isSize);
}

function isSize(value: unknown): boolean {
  return Number.isInteger(value ?? 0) && Number(value ?? 0) >= 0;
}

function toRemoteFile({ rfilename, size, blobId, lfs }: Sibling, base: string): RemoteFile {
  const url = `${base}/${encodePath(rfilename)}`;
  const sizeBytes = lfs?.size ?? size ?? undefined;
  const hash = lfs
    ? parseContentHash(lfs.sha256)
    : parseContentHash(sizeBytes === undefined ? undefined : blobId);
  return {
    path: rfilename,
    url,
    sizeBytes,
    hash,
    identity: hash?.hex ?? digest(url),
    blobId,
    etag: undefined,
  };
}

function encodePath(path: string): string {
  return path.split('/').map(encodeURIComponent).join('/');
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 40);
}
