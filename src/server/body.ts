import { Buffer } from 'node:buffer';
import { JsonCounter, maxJsonLevels } from '../core/text/json-counter.ts';
import { InferenceError } from '../errors.ts';
import type { ApiRequest } from './contract.ts';
import { headerOf } from './headers.ts';
import { abbreviate } from '../core/text/quote.ts';
import { parseInThread } from './parse-in-thread.ts';
import { parseJson } from './parse-json.ts';

/** A body of that size is parsed in a thread. */
const largeBytes = 2 ** 20;
/** Most of a body, by the name in `JsonCounter`. */
const mostOf = { values: 2 ** 19, members: 2 ** 15, objects: 2 ** 14, arrays: 2 ** 14 } as const;
const countedNames = Object.keys(mostOf) as (keyof typeof mostOf)[];

const jsonMediaType = /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;|$)/i;
const charsetParameter = /;[ \t]*charset[ \t]*=[ \t]*"?([^ \t;"]*)/i;

/**
 * Reads a JSON request body, or takes over what a body parser of the host made of it.
 *
 * @throws InferenceError `unsupported_media_type`, `request_too_large`, `cancelled`, or `invalid_request` for text
 * that is not JSON
 */
export async function readJson(request: ApiRequest, maxBodyBytes: number): Promise<unknown> {
  if (!('parsed' in request.body)) {
    assertMediaType(request);
    assertUnencoded(request);
    const bytes = await readBytes(request, request.body, maxBodyBytes);
    return bytes.length < largeBytes ? parseJson(bytes) : parseInThread(bytes);
  }
  if (headerOf(request, 'content-type') !== undefined) assertMediaType(request);
  const { parsed } = request.body;
  if (parsed === undefined) throw new InferenceError('invalid_request', 'The request body is empty.');
  if (typeof parsed !== 'string' && !(parsed instanceof Uint8Array)) return parsed;
  if (Buffer.byteLength(parsed) > maxBodyBytes) throw tooLarge(maxBodyBytes);
  const counter = new JsonCounter();
  counter.push(typeof parsed === 'string' ? Buffer.from(parsed) : parsed);
  assertFew(counter);
  return parseJson(parsed);
}

/**
 * The pieces of a raw body, as they come. The client's disconnect ends it also while a piece is awaited: not every host
 * ends the body of a client that left.
 *
 * @throws InferenceError `request_too_large`, `cancelled`, or `invalid_request` for a body that breaks off
 */
export async function* limitedChunks(
  { headers, signal }: ApiRequest,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  if (Number(headers['content-length']) > maxBytes) throw tooLarge(maxBytes);
  const chunks = body[Symbol.asyncIterator]();
  let leave = (): void => {};
  const abort = (): void => leave();
  signal.addEventListener('abort', abort, { once: true });
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        leave = () => reject(new Error('The client has gone.'));
        if (signal.aborted) leave();
        else chunks.next().then(resolve, reject);
      }).catch((cause: unknown) => {
        if (signal.aborted) throw new InferenceError('cancelled', 'The client has gone.', { cause });
        throw new InferenceError('invalid_request', 'The request body could not be read to its end.', {
          cause,
        });
      });
      if (done === true) return;
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      yield value;
    }
  } finally {
    signal.removeEventListener('abort', abort);
    // Not awaited: an iterator that is busy returns only after its next piece.
    chunks.return?.().catch(() => undefined);
  }
}

/**
 * @throws InferenceError `unsupported_media_type` for a compressed body
 */
export function assertUnencoded(request: ApiRequest): void {
  const encoding = headerOf(request, 'content-encoding') ?? 'identity';
  if (encoding.toLowerCase() === 'identity') return;
  throw new InferenceError(
    'unsupported_media_type',
    `Expected no content-encoding, got ${abbreviate(encoding)}.`,
  );
}

function assertMediaType(request: ApiRequest): void {
  const contentType = headerOf(request, 'content-type') ?? 'none';
  const charset = charsetParameter.exec(contentType)?.[1] ?? 'utf-8';
  if (jsonMediaType.test(contentType) && /^utf-?8$/i.test(charset)) return;
  throw new InferenceError(
    'unsupported_media_type',
    `Expected content-type application/json in UTF-8, got ${abbreviate(contentType)}.`,
  );
}

async function readBytes(
  request: ApiRequest,
  body: AsyncIterable<Uint8Array>,
  maxBytes: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const counter = new JsonCounter();
  for await (const chunk of limitedChunks(request, body, maxBytes)) {
    counter.push(chunk);
    assertFew(counter);
    chunks.push(chunk);
  }
  // The thread takes over the memory of a large body, so it must be of its own.
  const [first] = chunks;
  return chunks.length === 1 && first!.length < largeBytes ? first! : Buffer.concat(chunks);
}

/**
 * Parsing and checking take time for each value, whatever the size of the body.
 *
 * @throws InferenceError `request_too_large`
 */
function assertFew(counter: JsonCounter): void {
  let fault = counter.depth > maxJsonLevels ? `${maxJsonLevels} levels of nesting` : undefined;
  for (const name of countedNames) if (counter[name] > mostOf[name]) fault = `${mostOf[name]} ${name}`;
  if (fault === undefined) return;
  throw new InferenceError('request_too_large', `The request body has more than ${fault}.`);
}

function tooLarge(maxBodyBytes: number): InferenceError {
  return new InferenceError('request_too_large', `The request body is larger than ${maxBodyBytes} bytes.`);
}
