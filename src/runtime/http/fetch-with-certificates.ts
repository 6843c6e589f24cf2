import { Agent as HttpAgent, request as requestHttp, type IncomingHttpHeaders } from 'node:http';
import { Agent as HttpsAgent, request as requestHttps } from 'node:https';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { ReadableStream } from 'node:stream/web';

/** Certificates of a connection, as PEM text. */
export interface Certificates {
  /** Authorities that sign a server's certificate; default: those of Node. */
  readonly ca?: string | undefined;
  /** With `key`, shows the server who asks. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Connections are kept open, by the certificates with which they were made. */
const known = new WeakMap<Certificates, HttpsAgent>();
const plainAgent = new HttpAgent({ keepAlive: true });
const noCertificates: Certificates = {};

/**
 * `fetch`, with certificates and a time limit for connecting. Node's `fetch` takes neither without a package of the same
 * version as itself, so such requests go over `node:http` and `node:https`; redirects are refused.
 */
export function fetchWith(certificates: Certificates | undefined, connectMs?: number): Fetch {
  if (!certificates && connectMs === undefined) return fetch;
  return async (url, { method = 'GET', headers, body, signal }) => {
    const isSecure = url.startsWith('https:');
    const open = isSecure ? requestHttps : requestHttp;
    const agent = isSecure ? agentFor(certificates ?? noCertificates) : plainAgent;
    // Reads any kind of body, and says its type and length.
    const sent = new Request(url, { method, headers, body, duplex: 'half' } as RequestInit);
    const length =
      typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined;
    return new Promise((resolve, reject) => {
      const fail = (cause: Error): void => reject(new TypeError('fetch failed', { cause }));
      const request = open(
        url,
        {
          agent,
          method,
          headers: {
            ...Object.fromEntries(sent.headers),
            ...(length === undefined ? {} : { 'content-length': length }),
          },
          ...(signal ? { signal } : {}),
        },
        (answer) => {
          const { statusCode: status = 0 } = answer;
          if (status >= 300 && status < 400) {
            answer.destroy();
            fail(new Error('unexpected redirect'));
            return;
          }
          const hasBody = method !== 'HEAD' && status !== 204;
          const stream = hasBody ? (Readable.toWeb(answer) as ReadableStream<Uint8Array<ArrayBuffer>>) : null;
          resolve(
            new Response(stream as ConstructorParameters<typeof Response>[0], {
              status,
              headers: toHeaders(answer.headers),
            }),
          );
        },
      );
      request.on('error', (error) => (signal?.aborted ? reject(signal.reason as Error) : fail(error)));
      request.on('socket', (socket) => limitConnecting(socket, isSecure, connectMs ?? defaultConnectMs));
      if (sent.body)
        Readable.fromWeb(sent.body as ReadableStream)
          .on('error', fail)
          .pipe(request);
      else request.end();
    });
  };
}

const defaultConnectMs = 10_000;

function agentFor(certificates: Certificates): HttpsAgent {
  let agent = known.get(certificates);
  if (!agent) known.set(certificates, (agent = new HttpsAgent({ keepAlive: true, ...certificates })));
  return agent;
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
