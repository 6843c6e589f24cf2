import { randomUUID } from 'node:crypto';
import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { releaseOnFailure } from '../concurrency/release-on-failure.ts';
import type { FormField } from '../contracts/endpoint.ts';
import { getOrCreate } from '../core/get-or-create.ts';
import { describeValue } from '../core/text/quote.ts';
import { fieldError, InferenceError } from '../errors.ts';
import { deadlineMsOf } from '../http/headers.ts';
import { readMultipart } from '../http/multipart.ts';
import type { Call } from './call.ts';

const prefix = 'slashv1-upload-';
/** Longer than any request. */
const staleMs = 24 * 60 * 60 * 1000;

const swept = new Map<string, Promise<void>>();

export function newUploadPath(directory: string): string {
  return join(directory, prefix + randomUUID());
}

/** Removes leftovers of killed processes, once per directory. */
export function sweepUploads(directory: string): Promise<void> {
  return getOrCreate(swept, directory, () => removeStale(directory).catch(() => undefined));
}

async function removeStale(directory: string): Promise<void> {
  const left = (await readdir(directory)).filter((name) => name.startsWith(prefix));
  await Promise.allSettled(
    left.map(async (name) => {
      const path = join(directory, name);
      if (Date.now() - (await stat(path)).mtimeMs > staleMs) await rm(path, { force: true });
    }),
  );
}

/** @param admit called before the first byte is written, with the form's `model` if it precedes the file */
export async function receiveUpload(
  { request, settings, owner }: Call,
  fieldName: string,
  admit: (model: string | undefined) => void,
) {
  void sweepUploads(settings.uploadDirectory);
  const path = newUploadPath(settings.uploadDirectory);
  const place = settings.uploadGate.enter(owner);
  const release = (): Promise<void> => rm(path, { force: true }).finally(() => place.leave());
  let files = 0;
  const fault = (message: string): InferenceError => fieldError(fieldName, message);

  const onFile = async (name: string, content: Readable, before: readonly FormField[]): Promise<void> => {
    files += 1;
    if (name !== fieldName)
      throw fault(`expected the file in the field of this name, got one in ${describeValue(name)}`);
    if (files > 1) throw fault('expected one file, got several');
    admit(before.find((field) => field.name === 'model')?.value);
    // A new file, readable only by this user.
    await writeFile(path, content, { flag: 'wx', mode: 0o600 }).catch((error: unknown) => {
      throw folderError(error, settings.uploadDirectory);
    });
    if ((await stat(path)).size === 0) throw fault('expected a file, got no bytes');
  };

  return releaseOnFailure(async (own) => {
    own({ release });
    const fields = await readMultipart(request, {
      maxBytes: settings.maxUploadBytes,
      timeoutMs: Math.min(settings.bodyTimeoutMs, deadlineMsOf(request) ?? Infinity),
      onSize: place.grow,
      onFile,
    });
    if (fields.some(({ name }) => name === fieldName)) throw fault('expected a file, got text');
    if (files === 0) throw fault('expected a file, got none');
    return { fields, path, release };
  });
}

function folderError(error: unknown, folder: string): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (!/^(?:EACCES|ENOENT|ENOTDIR|ENXIO|EPERM|EROFS|ERR_ACCESS_DENIED)$/.test(code)) return error;
  const reason = `uploadDirectory: ${folder} can't be written to (${code}); name another folder, or set TMPDIR`;
  return new InferenceError('insufficient_storage', 'The service has no folder for uploads.', {
    retryAfterSeconds: 10,
    cause: new Error(reason, { cause: error }),
  });
}
