/** The part of a URL that names an endpoint: without query, mount path, `/v1` and trailing slashes. */
export function endpointPath(url: string, mountPath = ''): string {
  const path = withoutOrigin(url.split(/[?#]/, 1)[0]!);
  const trimmed = withoutTrailingSlashes(path);
  return withoutPrefix(withoutPrefix(trimmed, withoutTrailingSlashes(mountPath)), '/v1');
}

/** The parameters after a URL's `?`. */
export function queryOf(url: string): URLSearchParams {
  const [beforeFragment] = url.split('#', 1);
  const at = beforeFragment!.indexOf('?');
  return new URLSearchParams(at === -1 ? '' : beforeFragment!.slice(at));
}

// A client that takes the server for a proxy sends the whole URL.
function withoutOrigin(url: string): string {
  return url.startsWith('/') ? url : url.replace(/^https?:\/\/[^/]*/i, '');
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}

function withoutPrefix(path: string, prefix: string): string {
  if (!path.startsWith(prefix)) return path;
  return path.length === prefix.length || path[prefix.length] === '/' ? path.slice(prefix.length) : path;
}
