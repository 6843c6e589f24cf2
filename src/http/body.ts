import { Buffer } from 'node:buffer';
import { yieldIfDue } from '../concurrency/in-slices.ts';
import { countValues, type JsonCounts } from '../core/text/count-values.ts';
import { JsonCounter, maxJsonLevels } from '../core/text/json-counter.ts';
import { InferenceError, sentence } from '../errors.ts';
import type { ApiRequest } from '../contracts/http.ts';
import { headerOf } from './headers.ts';
import { abbreviate } from '../core/text/quote.ts';
import { largeBytes, parseBytes } from './parse-in-thread.ts';

/** Min rate of a body, averaged over `patienceMs`. */
const minBytesPerSecond = 2 ** 10;
const patienceMs = 20_000;
const tooSlow = `arrived slower than ${minBytesPerSecond} bytes a second for ${patienceMs / 1000} s`;
/** Max counts of a body, by name in `JsonCounter`. */
const maxCounts = { values: 2 ** 19, members: 2 ** 15, objects: 2 ** 14, arrays: 2 ** 14 } as const;
const countedNames = Object.keys(maxCounts) as (keyof typeof maxCounts)[];

/** Buffered bodies are counted in pieces of this size, up to the first violation. */
const countedBytes = 2 ** 16;

export interface BodyLimits {
  readonly maxBytes: number;
  /** Time limit of the whole body. */
  readonly timeoutMs: number;
  /** Owners of large bodies take turns. */
  readonly owner?: string | undefined;
  /** Receives the received or announced size. */
  readonly onSize?: ((bytes: number) => void) | undefined;
}

const jsonMediaType = /^application\/(?:[\w.!#$&^+-]+\+)?json[ \t]*(?:;|$)/i;
const charsetParameter = /;[ \t]*charset[ \t]*=[ \t]*"?([^ \t;"]*)/i;

/** Reads a JSON request body, or takes the result of the host's body parser. */
export async function readJson(request: ApiRequest, limits: BodyLimits): Promise<unknown> {
  if (!('parsed' in request.body)) {
    assertMediaType(request);
    assertUnencoded(request);
    return parseBytes(await readBytes(request, request.body, limits), limits.owner);
  }
  if (headerOf(request, 'content-type') !== undefined) assertMediaType(request);
  const { parsed } = request.body;
  if (parsed === undefined) throw new InferenceError('invalid_request', 'The request body is empty.');
  if (typeof parsed !== 'string' && !(parsed instanceof Uint8Array)) {
    const since = performance.now();
    assertFew(countValues(parsed, (counts) => faultOf(counts) !== undefined));
    await yieldIfDue(since);
    return parsed;
  }
  if (Buffer.byteLength(parsed) > limits.maxBytes) throw tooLarge(limits.maxBytes);
  const counter = new JsonCounter();
  const bytes = typeof parsed === 'string' ? new TextEncoder().encode(parsed) : parsed;
  for (let at = 0; at < bytes.length; at += countedBytes) {
    counter.push(bytes.subarray(at, at + countedBytes));
    assertFew(counter);
  }
  // The thread takes over the memory of a large body, so it must not be shared.
  return parseBytes(typeof parsed === 'string' ? bytes : new Uint8Array(bytes), limits.owner);
}

/** Streams a raw body. A disconnect ends it even while a piece is pending: not every host ends the body of a disconnected client. */
export async function* limitedChunks(
  { headers, signal }: ApiRequest,
  body: AsyncIterable<Uint8Array>,
  { maxBytes, timeoutMs, onSize }: BodyLimits,
): AsyncGenerator<Uint8Array> {
  const told = Number(headers['content-length']);
  if (told > maxBytes) throw tooLarge(maxBytes);
  if (told > 0) onSize?.(told);
  const chunks = body[Symbol.asyncIterator]();
  let leave = (): void => {};
  const abort = (): void => leave();
  signal.addEventListener('abort', abort, { once: true });
  let late: InferenceError | undefined;
  const lateAfter = (ms: number, fault: string): NodeJS.Timeout =>
    setTimeout(() => {
      late ??= new InferenceError('request_timeout', sentence(`The request body ${fault}`));
      leave();
    }, ms);
  const toFault = (cause: unknown): never => {
    if (signal.aborted) throw new InferenceError('cancelled', 'The client has disconnected.', { cause });
    if (late) throw late;
    const message = 'The request body could not be read completely.';
    throw new InferenceError('invalid_request', message, { cause });
  };
  const timer = lateAfter(timeoutMs, `did not arrive within ${timeoutMs} ms`);
  // Runs only while waiting for the client, not while the caller processes a piece.
  let patienceLeftMs = patienceMs;
  let patience: NodeJS.Timeout | undefined;
  let size = 0;
  try {
    for (;;) {
      const since = performance.now();
      patience = lateAfter(patienceLeftMs, tooSlow);
      const next = new Promise<IteratorResult<Uint8Array>>((resolve, reject) => {
        leave = () => reject(new Error('The client has disconnected.'));
        if (signal.aborted || late) leave();
        else chunks.next().then(resolve, reject);
      });
      const { done, value } = await next.catch(toFault);
      clearTimeout(patience);
      if (done === true) return;
      const broughtMs = (value.byteLength / minBytesPerSecond) * 1000;
      patienceLeftMs = Math.min(patienceMs, patienceLeftMs - (performance.now() - since) + broughtMs);
      size += value.byteLength;
      if (size > maxBytes) throw tooLarge(maxBytes);
      onSize?.(size);
      yield value;
    }
  } finally {
    clearTimeout(timer);
    clearTimeout(patience);
    signal.removeEventListener('abort', abort);
    // Not awaited: a busy iterator returns only after its next piece.
    chunks.return?.().catch(() => undefined);
  }
}

/** @throws InferenceError `unsupported_media_type` for a compressed body */
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
  limits: BodyLimits,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const counter = new JsonCounter();
  for await (const chunk of limitedChunks(request, body, limits)) {
    counter.push(chunk);
    assertFew(counter);
    chunks.push(chunk);
  }
  // The thread takes over the memory of a large body, so it must not be shared.
  const [first] = chunks;
  return chunks.length === 1 && first!.length < largeBytes ? first! : Buffer.concat(chunks);
}

/** Parsing and validation cost time per value, regardless of the body's size. */
function assertFew(counts: JsonCounts): void {
  const fault = faultOf(counts);
  if (fault === undefined) return;
  throw new InferenceError('request_too_large', `The request body has more than ${fault}.`);
}

function faultOf(counts: JsonCounts): string | undefined {
  let fault = counts.depth > maxJsonLevels ? `${maxJsonLevels} levels of nesting` : undefined;
  for (const name of countedNames) if (counts[name] > maxCounts[name]) fault = `${maxCounts[name]} ${name}`;
  return fault;
}

function tooLarge(maxBodyBytes: number): InferenceError {
  return new InferenceError('request_too_large', `The request body is larger than ${maxBodyBytes} bytes.`);
}
