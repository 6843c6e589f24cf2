import { Readable } from 'node:stream';
import type { BusboyHeaders, BusboyInstance } from '@fastify/busboy';
import { fieldError, InferenceError, orThrow } from '../errors.ts';
import { assertUnencoded, limitedChunks, type BodyLimits } from './body.ts';
import type { FormField } from '../contracts/endpoint.ts';
import type { ApiRequest } from '../contracts/http.ts';
import { createDeferred } from '../concurrency/deferred.ts';
import { headerOf } from './headers.ts';
import { abbreviate } from '../core/text/quote.ts';

export interface MultipartOptions extends BodyLimits {
  /** Consumes a file with backpressure; its stream fails if the form does. */
  readonly onFile: (name: string, content: Readable, before: readonly FormField[]) => Promise<void>;
}

const maxParts = 64;
const maxFieldBytes = 64 * 1024;
const maxHeaderBytes = 16 * 1024;
const maxHeadersOfPart = 32;
/** Larger pieces could contain a thousand small fields, read before the limit of fields applies. */
const pieceBytes = 2 ** 13;

export async function readMultipart(
  request: ApiRequest,
  { onFile, ...limits }: MultipartOptions,
): Promise<FormField[]> {
  assertMultipart(request);
  const parser = await createParser(request);
  const fields: FormField[] = [];
  const files: { readonly content: Readable; readonly taken: Promise<void> }[] = [];
  const { promise: fault, reject: fail } = createDeferred();
  /** After a fault, some steps may never finish. */
  const orFault = (step: Promise<unknown>): Promise<unknown> => Promise.race([fault, step]);

  parser.on('field', (name: string | undefined, value, _nameTruncated, isTruncated) => {
    const field = { name: name ?? '', value };
    if (isTruncated) fail(fieldError(abbreviate(field.name), `expected at most ${maxFieldBytes} bytes`));
    fields.push(field);
  });
  parser.on('file', (name: string | undefined, content) => {
    // Emitted after the file's end too, when no listener is left.
    content.on('error', () => undefined);
    files.push({ content, taken: onFile(name ?? '', content, fields).catch(fail) });
  });
  parser.on('partsLimit', () =>
    fail(new InferenceError('invalid_request', `Expected a form of at most ${maxParts} fields.`)),
  );
  // May precede the end of the body, if data follow the form.
  const finished = new Promise<void>((resolve) => parser.once('finish', resolve));
  parser.on('error', (error) =>
    fail(
      new InferenceError('invalid_request', 'The form is broken or ends before its last boundary.', {
        cause: error,
      }),
    ),
  );

  try {
    for await (const chunk of limitedChunks(request, bodyOf(request), limits)) {
      for (let at = 0; at < chunk.length; at += pieceBytes)
        await orFault(new Promise((end) => parser.write(chunk.subarray(at, at + pieceBytes), end)));
    }
    parser.end();
    await orFault(finished);
    await orFault(Promise.all(files.map(({ taken }) => taken)));
  } catch (error) {
    for (const { content } of files) content.destroy();
    await Promise.all(files.map(({ taken }) => taken));
    throw error;
  }
  return fields;
}

function assertMultipart(request: ApiRequest): void {
  const contentType = headerOf(request, 'content-type') ?? 'none';
  if (!/^multipart\/form-data[ \t]*(?:;|$)/i.test(contentType)) {
    throw new InferenceError(
      'unsupported_media_type',
      `Expected content-type multipart/form-data, as of a form with a file, got ${abbreviate(contentType)}.`,
    );
  }
  assertUnencoded(request);
}

async function createParser(request: ApiRequest): Promise<BusboyInstance> {
  // Imported lazily: most services receive no form.
  const { Busboy } = await import('@fastify/busboy');
  const headers = { 'content-type': headerOf(request, 'content-type') } as BusboyHeaders;
  const limits = {
    parts: maxParts,
    fieldSize: maxFieldBytes,
    headerSize: maxHeaderBytes,
    headerPairs: maxHeadersOfPart,
  };
  const message = 'Expected content-type multipart/form-data with a `boundary` of at most 252 bytes.';
  return orThrow(
    () => new Busboy({ headers, limits, isPartAFile }),
    (cause) => new InferenceError('invalid_request', message, { cause }),
  );
}

/** Some clients send files without a file name; few send text with one. */
function isPartAFile(_name: unknown, mediaType: string | undefined, fileName: string | undefined): boolean {
  return fileName !== undefined || /^(?:audio|video)\/|^application\/octet-stream$/.test(mediaType ?? '');
}

function bodyOf({ body }: ApiRequest): AsyncIterable<Uint8Array> {
  if (!('parsed' in body)) return body;
  if (body.parsed instanceof Uint8Array) return Readable.from([body.parsed]);
  throw new InferenceError(
    'invalid_request',
    'A body parser of the host has already read this form: mount the API before it.',
  );
}
