import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import { Readable, type Writable } from 'node:stream';

import type { ApiRequest, ApiResponse } from '../src/contracts/http.ts';
import { isBodiless, isStream, release, returnEarly } from './respond.ts';

/** Used by the bridge. */
export interface NodeRequest extends Readable {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly complete: boolean;
  /** The host's request id, for example from `pino-http`. */
  readonly id?: unknown;
  readonly body?: unknown;
}

/** Used by the bridge. */
export interface NodeResponse extends Writable {
  readonly headersSent: boolean;
  getHeader(name: string): unknown;
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown;
  /** Missing only in HTTP/2's types. */
  flushHeaders?(): void;
}

/** Max bytes of a rejected upload to read. */
const maxDiscardedBytes = 32 * 1024 * 1024;

export interface RequestPlace {
  readonly url: string;
  readonly mountPath?: string | undefined;
  /** The host's request ids, if they are not in Node's objects. */
  readonly hostIds?: readonly unknown[] | undefined;
  readonly stream?: Readable | undefined;
}

/** Converts a Node request; its signal is aborted if the connection closes before the response is sent. */
export function toApiRequest(request: NodeRequest, response: NodeResponse, place: RequestPlace): ApiRequest {
  // Before Node's own listener, which would read on without a limit.
  response.prependOnceListener('finish', () => discardRest(request));
  const controller = new AbortController();
  if (response.destroyed) controller.abort();
  response.once('close', () => {
    // HTTP/2 reports a reset stream as finished, but not as ended.
    if (!response.writableEnded) controller.abort();
  });
  return {
    method: request.method ?? 'GET',
    url: place.url,
    mountPath: place.mountPath,
    hostIds: [...(place.hostIds ?? []), response.getHeader('x-request-id'), request.id],
    headers: request.headers,
    body: bodyOf(place.stream ?? request, request.body),
    signal: controller.signal,
  };
}

export function send(answer: ApiResponse, request: ApiRequest, response: NodeResponse): void {
  const { status, body } = answer;
  const headers = answer.headers as OutgoingHttpHeaders;
  if (response.headersSent || request.signal.aborted) return release(body);
  if (isBodiless(request.method, status)) {
    const hasLength = request.method === 'HEAD' && !isStream(body);
    response.writeHead(status, hasLength ? withLength(headers, body) : headers);
    response.end();
    return release(body);
  }
  if (isStream(body)) {
    response.writeHead(status, headers);
    response.flushHeaders?.();
    void writePieces(body, response);
    return;
  }
  response.writeHead(status, withLength(headers, body));
  response.end(body);
}

function withLength(headers: OutgoingHttpHeaders, body: string | Uint8Array): OutgoingHttpHeaders {
  if ('content-length' in headers) return headers;
  return { ...headers, 'content-length': Buffer.byteLength(body) };
}

/** Writes pieces with backpressure, and returns their producer early if the response closes. */
async function writePieces(body: AsyncIterable<string | Uint8Array>, response: NodeResponse): Promise<void> {
  const pieces = body[Symbol.asyncIterator]();
  let ended = false;
  let goOn: (() => void) | undefined;
  const leave = (): void => {
    if (!ended) returnEarly(pieces);
    ended = true;
    goOn?.();
  };
  response.on('drain', () => goOn?.());
  // A response that its host has ended fails at the next piece, and may close much later.
  response.on('error', leave);
  response.once('close', leave);
  try {
    while (!ended) {
      const { done, value } = await pieces.next();
      if (ended) return;
      if (done === true) {
        ended = true;
        response.end();
        return;
      }
      if (!response.write(value)) await new Promise<void>((resolve) => (goOn = resolve));
    }
  } catch (error) {
    if (ended) return;
    ended = true;
    console.error('slashv1: a response failed midway.', error);
    response.destroy();
  }
}

export function toReadable(body: AsyncIterable<string | Uint8Array>, response: NodeResponse): Readable {
  const pieces = body[Symbol.asyncIterator]();
  let ended = false;
  // No `throw`, which would receive the socket's error.
  const source = {
    async next() {
      const piece = await pieces.next();
      ended = piece.done === true;
      return piece;
    },
    async return() {
      if (!ended) returnEarly(pieces);
      return { done: true as const, value: undefined };
    },
  };
  const readable = Readable.from({ [Symbol.asyncIterator]: () => source }, { highWaterMark: 1 });
  response.once('close', () => readable.destroy());
  return readable;
}

function bodyOf(stream: Readable, parsed: unknown): ApiRequest['body'] {
  if (stream.readableDidRead || stream.readableEnded) return { parsed };
  // An early `return` must not destroy the connection, which the answer needs.
  return stream.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Uint8Array>;
}

/** Reads the rest of a request, so that the client receives the answer and the connection can be reused. */
function discardRest(request: NodeRequest): void {
  if (request.destroyed || (request.complete && request.readableLength === 0)) return;
  let budget = maxDiscardedBytes;
  // The handler has stopped reading it.
  request.removeAllListeners('readable');
  request.unpipe();
  request.on('data', (chunk: Uint8Array) => {
    budget -= chunk.byteLength;
    if (budget < 0) request.destroy();
  });
  request.resume();
}
