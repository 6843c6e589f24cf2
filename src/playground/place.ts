/** Path of a request within the page. */
export interface Place {
  /** Path below the page, with a slash at its beginning; `/` is the page itself. */
  readonly path: string;
  /** Address of the page, if the request lacks the slash that relative addresses need. */
  readonly redirect?: string;
}

/** Takes query, origin and mount path off a URL. */
export function placeOf(url: string, mountPath = ''): Place {
  const [address = ''] = url.split('#', 1);
  const [full = ''] = address.split('?', 1);
  // A client that takes the server for a proxy sends the whole URL.
  const path = full.startsWith('/') ? full : full.replace(/^https?:\/\/[^/]*/i, '');
  const mount = withoutTrailingSlashes(mountPath);
  if (mount === '' || !path.startsWith(mount)) return { path: path === '' ? '/' : path };
  const rest = path.slice(mount.length);
  if (rest.startsWith('/')) return { path: rest };
  if (rest !== '') return { path };
  // Relative, since a proxy before the host may have taken a part of the path away.
  const name = mount.slice(mount.lastIndexOf('/') + 1);
  return { path: '', redirect: `./${name}/${address.slice(full.length)}` };
}

function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (end > 0 && path[end - 1] === '/') end -= 1;
  return path.slice(0, end);
}
