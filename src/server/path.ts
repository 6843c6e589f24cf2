/** The part of a URL that names an endpoint: without query, mount path, `/v1` and trailing slashes. */
export function endpointPath(url: string, mountPath = ''): string {
  const path = withoutOrigin(url.split(/[?#]/, 1)[0]!);
  const trimmed = withoutTrailingSlashes(path);
  return withoutPrefix(withoutPrefix(trimmed, withoutTrailingSlashes(mountPath)), '/v1');
}

/** The parameters after a URL's `?`. */
export function queryOf(url: string): URLSearchParams {
  return new URLSearchParams(url.split('#', 1)[0]!.replace(/^[^?]*/, ''));
}

// A client that takes the server for a proxy sends the whole URL.
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/]*/i, '');
}

function withoutTrailingSlashes(path: string): string {
  return path.replace(/(?<!\/)\/+$/, '');
}

function withoutPrefix(path: string, prefix: string): string {
  if (!path.startsWith(prefix)) return path;
  return path.length === prefix.length || path[prefix.length] === '/' ? path.slice(prefix.length) : path;
}
