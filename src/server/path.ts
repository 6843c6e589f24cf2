import type { ApiRequest } from '../contracts/http.ts';

const trailingSlashes = /(?<!\/)\/+$/;

/** Removes query, mount path, `/v1` and trailing slashes. */
export function endpointPath(url: string, mountPath = ''): string {
  return withoutPrefix(withoutPrefix(pathOf(url), mountPath.replace(trailingSlashes, '')), '/v1');
}

/** `/api/v1/models` → `/models`, for hosts that route without a mount path. */
export function pathBehindRoute({
  url,
  mountPath,
}: Pick<ApiRequest, 'url' | 'mountPath'>): string | undefined {
  return mountPath === undefined ? /^\/(?!v1\/).*?\/v1(\/.*)$/.exec(pathOf(url))?.[1] : undefined;
}

function pathOf(url: string): string {
  const [path] = url.split(/[?#]/, 1) as [string];
  // Clients that use the server as a proxy send the whole URL.
  return (path.startsWith('/') ? path : path.replace(/^https?:\/\/[^/]*/i, '')).replace(trailingSlashes, '');
}

export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('#', 1)[0]!.replace(/^[^?]*/, ''));
}

function withoutPrefix(path: string, prefix: string): string {
  if (!path.startsWith(prefix)) return path;
  return path.length === prefix.length || path[prefix.length] === '/' ? path.slice(prefix.length) : path;
}
