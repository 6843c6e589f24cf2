import type { Hash } from 'node:crypto';
import { rm, open } from 'node:fs/promises';
import { fieldError } from '../errors.ts';
import { sourceError } from '../folder/model-files.ts';
import { readBytes } from '../runtime/http/answer-body.ts';
import { createAnswerClock, type AnswerClock } from '../runtime/http/answer-clock.ts';
import { reasonOfFetch } from '../runtime/http/fetch-failures.ts';
import { openUrl, refusal, type Remote } from './http.ts';
import type { RemoteFile } from './file-list.ts';
import { TransientError, withRetries } from './retry.ts';
import { createContentHash } from './verified-files.ts';

export interface DownloadOptions {
  /** Reports how many bytes have arrived. */
  readonly onReceived?: ((receivedBytes: number) => void) | undefined;
  /** Maximum bytes of a file without a reported size; default 4 GiB. */
  readonly maxUnsizedBytes?: number | undefined;
}

/** A connection that delivered this many bytes counts as working. */
const advancedBytes = 2 ** 20;

/** Downloads a file, resuming an earlier attempt, and compares it with its hash. */
export async function downloadFile(
  remote: Remote,
  file: RemoteFile,
  path: string,
  options: DownloadOptions = {},
): Promise<void> {
  const part = await openPart(path, file);
  try {
    const isResumed = part.position > 0;
    if (await isReceived(remote, file, part, options)) return;
    // The part of an earlier process may have been corrupt; a fresh copy shows.
    if (isResumed) {
      part.restart();
      if (await isReceived(remote, file, part, options)) return;
    }
  } finally {
    await part.close();
  }
  await rm(path, { force: true });
  throw fieldError(
    'source',
    `${file.path} of ${remote.label} isn't what it should be (its ${file.hash?.algorithm} differs from ${file.hash?.hex}); it was removed`,
    { code: 'worker_failed' },
  );
}

/** @returns whether its hash is right */
async function isReceived(
  remote: Remote,
  file: RemoteFile,
  part: PartFile,
  options: DownloadOptions,
): Promise<boolean> {
  await withRetries(() => receive(remote, file, part, options), remote);
  return (await part.finish()) === file.hash?.hex;
}

async function receive(
  remote: Remote,
  file: RemoteFile,
  part: PartFile,
  { onReceived, maxUnsizedBytes = 2 ** 32 }: DownloadOptions,
): Promise<void> {
  if (!isResumable(file)) part.restart();
  const start = part.position;
  onReceived?.(start);
  if (start === file.sizeBytes) return;
  const { stallMs } = remote.policy;
  const clock = createAnswerClock({ firstByteMs: stallMs, idleMs: stallMs }, remote.signal);
  const answer = await clock.wait(() =>
    openUrl(remote, file.url, { headers: rangeFrom(start, file), signal: clock.signal }),
  );
  const { response } = answer;
  const { status } = response;
  const isRest = status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${start}-`);
  if (!isRest) part.restart();
  if (status === 206 || status === 416) {
    if (!isRest) throw new TransientError(`${remote.host} sends another part of ${file.path} than asked`);
  } else if (status !== 200) throw refusal(answer, remote, { file: file.path });
  const pieces = piecesOf(response, { file, remote, clock }, () => part.position - start >= advancedBytes);
  for await (const chunk of pieces) {
    await part.append(chunk);
    onReceived?.(part.position);
    if (part.position > (file.sizeBytes ?? maxUnsizedBytes)) break;
  }
  if (file.sizeBytes === undefined && part.position > maxUnsizedBytes) {
    part.restart();
    await part.finish();
    throw sourceError(
      `${file.path} of ${remote.label} has more than ${maxUnsizedBytes} bytes, and ${remote.host} doesn't report its size`,
    );
  }
  assertWhole(remote, file, part, start);
}

function rangeFrom(start: number, { etag }: RemoteFile): Readonly<Record<string, string>> {
  const headers = { 'accept-encoding': 'identity' };
  if (start === 0) return headers;
  return { ...headers, range: `bytes=${start}-`, ...(etag === undefined ? {} : { 'if-range': etag }) };
}

/** @throws TransientError if the connection breaks */
async function* piecesOf(
  response: Response,
  { file, remote, clock }: { file: RemoteFile; remote: Remote; clock: AnswerClock },
  advanced: () => boolean,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readBytes(response, { clock });
  } catch (error) {
    throw new TransientError(
      `the download of ${file.path} of ${remote.label} was interrupted (${reasonOfFetch(error)})`,
      { advanced: advanced(), cause: error },
    );
  }
}

function assertWhole(remote: Remote, file: RemoteFile, part: PartFile, start: number): void {
  const { sizeBytes } = file;
  const { position } = part;
  if (sizeBytes === undefined || position === sizeBytes) return;
  if (position > sizeBytes) part.restart();
  throw new TransientError(
    `${file.path} of ${remote.label} came with ${position} bytes instead of ${sizeBytes}`,
    { advanced: position - start >= advancedBytes },
  );
}

/** Whether two attempts are known to download the same content. */
function isResumable({ hash, etag }: RemoteFile): boolean {
  return hash !== undefined || etag !== undefined;
}

type PartFile = Awaited<ReturnType<typeof openPart>>;

/**
 * Opens a partial download or starts one: a file that is written sequentially, over several attempts if necessary, and
 * hashed meanwhile.
 */
async function openPart(path: string, file: RemoteFile) {
  const created = await open(path, 'a');
  await created.close();
  const handle = await open(path, 'r+');
  const { hash, sizeBytes } = file;
  const begin = (): Hash | undefined => hash && createContentHash(hash.algorithm, sizeBytes ?? 0);
  let position = 0;
  let hasher = begin();
  const readOn = async (): Promise<void> => {
    const { size } = await handle.stat();
    if (size > (sizeBytes ?? Infinity) || !isResumable(file)) return;
    const buffer = new Uint8Array(2 ** 20);
    while (position < size) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, position);
      if (bytesRead === 0) return;
      hasher?.update(buffer.subarray(0, bytesRead));
      position += bytesRead;
    }
  };
  await readOn().catch(async (error: unknown) => {
    await handle.close();
    throw error;
  });
  return {
    /** Bytes written so far. */
    get position() {
      return position;
    },
    async append(bytes: Uint8Array) {
      for (let written = 0; written < bytes.length;) {
        const { bytesWritten } = await handle.write(bytes, written, undefined, position + written);
        written += bytesWritten;
      }
      hasher?.update(bytes);
      position += bytes.length;
    },
    /** Restarts from the beginning. The bytes stay until they are overwritten, since a different process may rely on them. */
    restart() {
      position = 0;
      hasher = begin();
    },
    /** @returns the hash of the content, or `undefined` without an expected hash */
    async finish() {
      await handle.truncate(position);
      await handle.sync();
      return hasher?.digest('hex');
    },
    close: () => handle.close(),
  };
}
