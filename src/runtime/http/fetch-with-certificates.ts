import type { IncomingHttpHeaders } from 'node:http';
import { Agent, request as requestHttps } from 'node:https';
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
const known = new WeakMap<Certificates, Fetch>();

/**
 * `fetch`, with certificates of its own. Node's `fetch` takes them from a package of the same version as itself alone,
 * so requests with certificates go over `node:https`; redirects are refused.
 *
 * @throws TypeError as `fetch`, with the system's error as `cause`
 *
 * @example
 * ```ts
 * const ca = await readFile('authority.pem', 'utf8');
 * const response = await fetchWith({ ca })('https://gpu-1:8443/v1/models', {});
 * ```
 */
export function fetchWith(certificates: Certificates | undefined): Fetch {
  if (!certificates) return fetch;
  let own = known.get(certificates);
  if (!own) known.set(certificates, (own = createFetch(certificates)));
  return own;
}

function createFetch({ ca, cert, key }: Certificates): Fetch {
  const agent = new Agent({ keepAlive: true, ca, cert, key });
  return async (url, { method = 'GET', headers, body, signal }) => {
    if (!url.startsWith('https:'))
      return fetch(url, { method, headers, body, signal, redirect: 'error' } as RequestInit);
    // Reads any kind of body, and says its type and length.
    const sent = new Request(url, { method, headers, body, duplex: 'half' } as RequestInit);
    const length =
      typeof body === 'string' || body instanceof Uint8Array ? Buffer.byteLength(body) : undefined;
    return new Promise((resolve, reject) => {
      const fail = (cause: Error): void => reject(new TypeError('fetch failed', { cause }));
      const request = requestHttps(
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
      if (sent.body)
        Readable.fromWeb(sent.body as ReadableStream)
          .on('error', fail)
          .pipe(request);
      else request.end();
    });
  };
}

function toHeaders(given: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one);
  }
  return headers;
}
