import { rm } from 'node:fs/promises';
import { fieldError } from '../errors.ts';
import { readBytes } from '../runtime/http/answer-body.ts';
import { reasonOfFetch } from '../runtime/http/reason-of-fetch.ts';
import { openUrl, refusal, type Remote } from './http.ts';
import { isResumable, PartFile } from './part-file.ts';
import type { RemoteFile } from './file-list.ts';
import { TransientError, withRetries, type RetryPolicy } from './retry.ts';

export interface DownloadOptions {
  readonly policy: RetryPolicy;
  readonly signal?: AbortSignal | undefined;
  /** Told how much of the file is there. */
  readonly onReceived?: ((receivedBytes: number) => void) | undefined;
  /** Most bytes of a file whose size no server reports; default 4 GiB. */
  readonly maxUnsizedBytes?: number | undefined;
}

const defaultMaxUnsizedBytes = 2 ** 32;

/** A connection that brought this much counts as one that works. */
const advancedBytes = 2 ** 20;

/** Downloads a file, going on where an earlier attempt ended, and compares it with its hash. */
export async function downloadFile(
  remote: Remote,
  file: RemoteFile,
  path: string,
  options: DownloadOptions,
): Promise<void> {
  const part = await PartFile.open(path, file);
  try {
    const isResumed = part.position > 0;
    if (await isReceived(remote, file, part, options)) return;
    // The part of an earlier process may have been the fault; a fresh copy shows.
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
  await withRetries(() => receive(remote, file, part, options), options);
  return (await part.finish()) === file.hash?.hex;
}

async function receive(
  remote: Remote,
  file: RemoteFile,
  part: PartFile,
  { policy, signal, onReceived, maxUnsizedBytes = defaultMaxUnsizedBytes }: DownloadOptions,
): Promise<void> {
  if (!isResumable(file)) part.restart();
  const start = part.position;
  onReceived?.(start);
  if (start === file.sizeBytes) return;
  const watchdog = createWatchdog(policy.stallMs, signal);
  try {
    const answer = await openUrl(remote, file.url, {
      headers: rangeFrom(start, file),
      signal: watchdog.signal,
    });
    const { response } = answer;
    const { status } = response;
    const isRest = status === 206 && response.headers.get('content-range')?.startsWith(`bytes ${start}-`);
    if (!isRest) part.restart();
    if (status === 206 || status === 416) {
      if (!isRest) throw new TransientError(`${remote.host} sends another part of ${file.path} than asked`);
    } else if (status !== 200) throw refusal(answer, remote, { file: file.path });
    const pieces = piecesOf(
      response,
      { file, remote, signal: watchdog.signal },
      () => part.position - start >= advancedBytes,
    );
    for await (const chunk of pieces) {
      watchdog.reset();
      await part.append(chunk);
      onReceived?.(part.position);
      if (part.position > (file.sizeBytes ?? maxUnsizedBytes)) break;
    }
  } finally {
    watchdog.stop();
  }
  if (file.sizeBytes === undefined && part.position > maxUnsizedBytes) {
    part.restart();
    await part.finish();
    throw fieldError(
      'source',
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

/** @throws TransientError when the connection breaks */
async function* piecesOf(
  response: Response,
  { file, remote, signal }: { file: RemoteFile; remote: Remote; signal: AbortSignal },
  advanced: () => boolean,
): AsyncGenerator<Uint8Array> {
  try {
    yield* readBytes(response, { signal });
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

/** A signal that aborts when nothing happens for a while. */
function createWatchdog(
  stallMs: number,
  signal: AbortSignal | undefined,
): { readonly signal: AbortSignal; reset(): void; stop(): void } {
  const controller = new AbortController();
  const bark = (): void => controller.abort(new Error(`nothing came for ${stallMs / 1000} s`));
  let timer = setTimeout(bark, stallMs);
  return {
    signal: signal ? AbortSignal.any([signal, controller.signal]) : controller.signal,
    reset() {
      clearTimeout(timer);
      timer = setTimeout(bark, stallMs);
    },
    stop: () => clearTimeout(timer),
  };
}
