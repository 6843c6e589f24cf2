import type { ApiRequest, ApiResponse, Handler } from '../src/contracts/http.ts';

/** True if HTTP allows only headers. */
export function isBodiless(method: string, status: number): boolean {
  return method === 'HEAD' || status === 204 || status === 304;
}

export function isStream(body: ApiResponse['body']): body is AsyncIterable<string | Uint8Array> {
  return typeof body !== 'string' && !(body instanceof Uint8Array);
}

export function release(body: ApiResponse['body']): void {
  if (isStream(body)) returnEarly(body[Symbol.asyncIterator]());
}

/** Ends an iteration early; errors during cleanup are ignored. */
export function returnEarly(iterator: AsyncIterator<unknown>): void {
  void iterator.return?.().then(undefined, () => undefined);
}

/**
 * Runs the handler and passes its answer to `send`. Handlers should never reject or return an invalid response; if one does, the
 * client gets a plain 500 and the host's process survives.
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

/** Catches the mistake of mounting an inference. */
export function assertHandler(handler: unknown): void {
  if (typeof handler !== 'function')
    throw new TypeError('handler: expected a handler, which `createHandler(inference, options)` makes');
}

/** True if the path of a URL is one of `paths` or below it; `/` matches only itself. */
export function isBelow(paths: readonly string[], url: string): boolean {
  return paths.some((path) =>
    path === '/'
      ? /^\/(?:\?|$)/.test(url)
      : url.startsWith(path) && /^(?:[/?]|$)/.test(url.slice(path.length)),
  );
}

export function pathsOf(handler: Handler, mountPath?: string): readonly string[] {
  return mountPath === undefined ? (handler.paths ?? ['/v1']) : [mountPath];
}

export function mountPathOf(options: { readonly mountPath?: string | undefined }): string | undefined {
  const { mountPath, ...unknown } = options;
  const [name] = Object.keys(unknown);
  if (name !== undefined) throw new TypeError(`${name}: expected no option other than mountPath`);
  if (mountPath === undefined || /^(\/[^/?#]+)+$/.test(mountPath)) return mountPath;
  const reason = `mountPath: expected a path such as "/v1", without a slash at its end, got "${mountPath}"`;
  throw new TypeError(reason);
}

/**
 * Copy of the server's `toErrorBody` for internal errors: adapters import only types, so that any handler can be mounted, and
 * this must work if the handler is broken.
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
