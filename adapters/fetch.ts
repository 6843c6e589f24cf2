import type { ApiRequest, ApiResponse, Handler } from '../src/contracts/http.ts';
import {
  assertHandler,
  mountPathOf,
  isBodiless,
  isStream,
  release,
  respond,
  returnEarly,
} from './respond.ts';

/** Options of `toFetch`. */
export interface FetchOptions {
  /** Base path of the API, without a trailing slash. Default: the handler's own, `/v1`. */
  readonly mountPath?: string | undefined;
}

/** Facts about a request from the host; extra properties, which frameworks add, are ignored. */
export type FetchContext = object & {
  /** The host's id of the request. */
  readonly requestId?: unknown;
};

/**
 * Creates a function from `Request` to `Response` from a handler, for Hono, Next, Bun, Deno and similar frameworks.
 *
 * @param handler from `createHandler`
 * @returns a function that answers every request, and never rejects
 * @throws TypeError if `mountPath` is not a path, and for an unknown option
 * @example
 * ```ts
 * import { Hono } from 'hono';
 * import { toFetch } from 'slashv1/fetch';
 * import { createHandler } from 'slashv1/server';
 *
 * const handler = createHandler(inference, { auth: { keys: [process.env.API_KEY ?? ''] } });
 * const answer = toFetch(handler);
 * const app = new Hono();
 * app.all('/v1/*', (context) => answer(context.req.raw));
 * ```
 */
export function toFetch(
  handler: Handler,
  options: FetchOptions = {},
): (request: Request, context?: FetchContext) => Promise<Response> {
  assertHandler(handler);
  const mountPath = mountPathOf(options);
  return (request, context) => {
    const client = clientOf(request);
    const place = { mountPath, hostIds: [context?.requestId] };
    const apiRequest = toApiRequest(request, place, client.signal);
    return respond(handler, apiRequest, (answer) => toResponse(answer, request.method, client));
  };
}

interface Client {
  /** Aborted if the client disconnects before the end of the answer. */
  readonly signal: AbortSignal;
  leave(): void;
  settle(): void;
}

function clientOf(request: Request): Client {
  const controller = new AbortController();
  const leave = () => controller.abort();
  if (request.signal.aborted) leave();
  request.signal.addEventListener('abort', leave, { once: true });
  return {
    signal: controller.signal,
    leave,
    settle: () => request.signal.removeEventListener('abort', leave),
  };
}

function toApiRequest(
  request: Request,
  place: Pick<ApiRequest, 'mountPath' | 'hostIds'>,
  signal: AbortSignal,
): ApiRequest {
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    url: pathname + search,
    ...place,
    headers: Object.fromEntries(request.headers),
    body: request.bodyUsed ? { parsed: undefined } : (request.body ?? nothing()),
    signal,
  };
}

function toResponse(answer: ApiResponse, method: string, client: Client): Response {
  const { status, body } = answer;
  const headers = toHeaders(answer.headers);
  const bodiless = isBodiless(method, status);
  if (isStream(body)) {
    if (!bodiless) return new Response(toReadableStream(body, client), { status, headers });
    release(body);
    client.settle();
    return new Response(null, { status, headers });
  }
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : (body as Uint8Array<ArrayBuffer>);
  if (status !== 204 && status !== 304 && !headers.has('content-length'))
    headers.set('content-length', String(bytes.byteLength));
  client.settle();
  return new Response(bodiless ? null : bytes, { status, headers });
}

function toHeaders(record: ApiResponse['headers']): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(record)) {
    for (const each of typeof value === 'string' ? [value] : value) headers.append(name, each);
  }
  return headers;
}

/** Pulls a piece when the client wants one; a disconnect returns the producer early. */
function toReadableStream(
  body: AsyncIterable<string | Uint8Array>,
  client: Client,
): ReadableStream<Uint8Array> {
  const iterator = body[Symbol.asyncIterator]();
  const encoder = new TextEncoder();
  return new ReadableStream<Uint8Array>(
    {
      start(stream) {
        const stop = () => {
          returnEarly(iterator);
          stream.error(client.signal.reason);
        };
        if (client.signal.aborted) stop();
        client.signal.addEventListener('abort', stop, { once: true });
      },
      async pull(stream) {
        const { done, value } = await iterator.next();
        if (client.signal.aborted) return;
        if (done !== true) return stream.enqueue(typeof value === 'string' ? encoder.encode(value) : value);
        client.settle();
        stream.close();
      },
      cancel() {
        client.leave();
      },
    },
    { highWaterMark: 0 },
  );
}

async function* nothing(): AsyncGenerator<Uint8Array> {}
