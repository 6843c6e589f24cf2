import { request as requestHttp, type IncomingHttpHeaders, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { pipeline, Readable, type Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import { getOrCreate } from '../../core/get-or-create.ts';
import type { AnswerBody, HttpAnswer } from './answer-body.ts';

/** Certificates of a connection, as PEM text. */
export interface Certificates {
  /** Certificate authorities for the server; default: Node's. */
  readonly ca?: string | undefined;
  /** With `key`, authenticates the client. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

/** The cause of a request that failed before a response. */
export interface ConnectionFault extends NodeJS.ErrnoException {
  /** Whether the connection had been used for an earlier request. */
  readonly wasKeptOpen: boolean;
}

export interface HttpRequest {
  /** Default: `GET`. */
  readonly method?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Sent with its length unless it is a stream. */
  readonly body?: string | Uint8Array | AsyncIterable<Uint8Array> | null | undefined;
  readonly signal?: AbortSignal | undefined;
}

type Fetch = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** Keep-alive agents by certificates. */
const known = new WeakMap<Certificates, HttpsAgent>();

/**
 * Like `fetch`, with certificates and a connect timeout, over `node:http` and `node:https`: a chunk of a stream costs a
 * third less CPU than with web streams, and Node's `fetch` supports neither option without a package of its exact
 * version. Redirects are rejected.
 */
export function fetchWith(certificates: Certificates | undefined, connectMs?: number): Fetch {
  return async (url, { method = 'GET', headers, body, signal }) => {
    const isSecure = url.startsWith('https:');
    const open = isSecure ? requestHttps : requestHttp;
    return new Promise((resolve, reject) => {
      const fail = (fault: Error): void => {
        const cause: ConnectionFault = Object.assign(fault, { wasKeptOpen: request.reusedSocket });
        reject(new TypeError('fetch failed', { cause }));
      };
      const request = open(
        url,
        {
          ...(isSecure && certificates ? { agent: agentFor(certificates) } : {}),
          method,
          headers: { 'accept-encoding': encodings, ...headers },
          ...(signal ? { signal } : {}),
        },
        (answer) => {
          const { statusCode: status = 0 } = answer;
          // A redirect would forward headers with keys.
          if (status >= 300 && status < 400) {
            answer.destroy();
            fail(new Error('unexpected redirect'));
            return;
          }
          resolve({
            ok: status >= 200 && status < 300,
            status,
            headers: toHeaders(answer.headers),
            body: method === 'HEAD' || status === 204 ? null : bodyOf(answer),
          });
        },
      );
      request.on('error', (error) => (signal?.aborted ? reject(signal.reason as Error) : fail(error)));
      request.on('socket', (socket) => limitConnecting(socket, isSecure, connectMs ?? defaultConnectMs));
      if (typeof body === 'object' && body !== null && Symbol.asyncIterator in body)
        Readable.from(body).on('error', fail).pipe(request);
      else request.end(body ?? undefined);
    });
  };
}

const defaultConnectMs = 10_000;

/** By `content-encoding`. */
const unpackers = new Map<string, () => Duplex>([
  ['gzip', createGunzip],
  ['deflate', createInflate],
  ['br', createBrotliDecompress],
]);
const encodings = [...unpackers.keys()].join(', ');

function bodyOf(answer: IncomingMessage): AnswerBody {
  const unpacker = unpackers.get(answer.headers['content-encoding'] ?? '')?.();
  const source: Readable = unpacker ? pipeline(answer, unpacker, () => {}) : answer;
  const cancel = async (): Promise<void> => {
    // The connection of a complete response can be reused.
    if (unpacker || !answer.complete) source.destroy();
    answer.removeAllListeners('data').resume();
  };
  return { getReader: () => ({ read: readerOf(source), cancel }), cancel };
}

/** Maximum bytes that wait for a reader. */
const maxWaitingBytes = 2 ** 16;

/** Reads a stream by its events: its own iterator makes several promises for each piece. One read at a time. */
function readerOf(source: Readable): () => Promise<IteratorResult<Uint8Array, undefined>> {
  const pieces: Uint8Array[] = [];
  let waitingBytes = 0;
  let end: { readonly error?: unknown } | undefined;
  let wake: (() => void) | undefined;
  const finish = (error?: unknown): void => {
    end ??= error === undefined ? {} : { error };
    wake?.();
  };
  source
    .on('data', (piece: Uint8Array) => {
      pieces.push(piece);
      waitingBytes += piece.byteLength;
      if (wake) wake();
      else if (waitingBytes > maxWaitingBytes) source.pause();
    })
    .once('end', () => finish())
    .once('error', finish)
    .once('close', () => finish(new Error('the connection was closed')));
  return async () => {
    if (pieces.length === 0 && !end) await new Promise<void>((resolve) => (wake = resolve));
    wake = undefined;
    const value = pieces.shift();
    if (value) {
      waitingBytes -= value.byteLength;
      if (source.isPaused()) source.resume();
      return { done: false, value };
    }
    if (end && 'error' in end) throw end.error;
    return { done: true, value };
  };
}

function agentFor(certificates: Certificates): HttpsAgent {
  return getOrCreate(known, certificates, () => new HttpsAgent({ keepAlive: true, ...certificates }));
}

function limitConnecting(socket: Socket, isSecure: boolean, connectMs: number): void {
  if (!socket.connecting) return;
  const giveUp = (): void =>
    void socket.destroy(
      Object.assign(new Error(`no connection within ${connectMs} ms`), { code: 'ETIMEDOUT' }),
    );
  const timer = setTimeout(giveUp, connectMs);
  const stop = (): void => clearTimeout(timer);
  socket.once(isSecure ? 'secureConnect' : 'connect', stop).once('close', stop);
}

function toHeaders(given: IncomingHttpHeaders): Headers {
  const named = Object.entries(given).map(([name, value = '']) => [value].flat().map((one) => [name, one]));
  return new Headers(named.flat() as [string, string][]);
}
