import type { ApiRequest, ApiResponse, Handler } from '../src/contracts/http.ts';

/** True where HTTP has headers alone. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

/** True for a body that comes piece by piece. */
export function isStream(body: ApiResponse['body']): body is AsyncIterable<string | Uint8Array> {
  return typeof body !== 'string' && !(body instanceof Uint8Array);
}

/** Ends a body that will not be read. */
export function release(body: ApiResponse['body']): void {
  if (isStream(body)) returnEarly(body[Symbol.asyncIterator]());
}

/** Ends an iteration before its end; whatever the producer throws while it cleans up has no reader left. */
export function returnEarly(iterator: AsyncIterator<unknown>): void {
  void iterator.return?.().then(undefined, () => undefined);
}

/**
 * Runs the handler and hands its answer to `send`. A handler never rejects and never answers with what HTTP can't
 * carry; should one do so all the same, the client gets a plain 500 and the host's process lives.
 */
export async function respond<T>(
  handler: Handler,
  request: ApiRequest,
  send: (response: ApiResponse) => T,
): Promise<T> {
  let response: ApiResponse | undefined;
  try {
    response = await handler(request);
    return send(response);
  } catch (error) {
    if (response !== undefined) release(response.body);
    return send(lastResort(error));
  }
}

/** Checks what a host mounts: an inference is no handler yet. */
export function assertHandler(handler: unknown): void {
  if (typeof handler !== 'function')
    throw new TypeError('handler: expected a handler, which `createHandler(inference, options)` makes');
}

/** Whether a path, a query behind it or not, is one of these or below it; `/` has nothing below it. */
export function isBelow(paths: readonly string[], url: string): boolean {
  return paths.some((path) =>
    path === '/'
      ? /^\/(?:\?|$)/.test(url)
      : url.startsWith(path) && /^(?:[/?]|$)/.test(url.slice(path.length)),
  );
}

/** Paths of a handler that is mounted at the root. */
export function pathsOf(handler: Handler, mountPath?: string): readonly string[] {
  return mountPath === undefined ? (handler.paths ?? ['/v1']) : [mountPath];
}

/** Checks a mount path that a host has written down. */
export function mountPathOf(options: { readonly mountPath?: string | undefined }): string | undefined {
  const { mountPath, ...unknown } = options;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`${name}: expected no other option than mountPath`);
  if (mountPath === undefined || /^(\/[^/?#]+)+$/.test(mountPath)) return mountPath;
  const reason = `mountPath: expected a path such as "/v1", without a slash at its end, got "${mountPath}"`;
  throw new TypeError(reason);
}

/**
 * The answer that `toErrorBody` of the server gives to an internal error. It stands here once more, since adapters import
 * only types, so that any handler can be mounted; and this has to work where the handler itself is broken.
 */
function lastResort(error: unknown): ApiResponse {
  const requestId = `req_${crypto.randomUUID().replaceAll('-', '')}`;
  console.error(`slashv1: ${requestId} failed outside the handler.`, error);
  return {
    status: 500,
    headers: { 'content-type': 'application/json; charset=utf-8', 'x-request-id': requestId },
    body: JSON.stringify({
      error: {
        message: `Internal error. Request id: ${requestId}.`,
        type: 'server_error',
        param: null,
        code: 'internal_error',
      },
    }),
  };
}
