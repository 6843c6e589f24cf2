import type { ApiRequest, ApiResponse, Handler } from '../contracts/http.ts';
import { assertNames } from '../core/assert-names.ts';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

/** Path of a request within the page. */
interface Place {
  /** Path below the page, with a leading slash; `/` is the page itself. */
  readonly path: string;
  /** Address of the page, if the request lacks the trailing slash that relative addresses need. */
  readonly redirect?: string;
}

/** Removes query, origin and mount path from a URL. */
export function placeOf(url: string, mountPath = ''): Place {
  const [address = ''] = url.split('#', 1);
  const [full = ''] = address.split('?', 1);
  // Clients that use the server as a proxy send the whole URL.
  const path = full.startsWith('/') ? full : full.replace(/^https?:\/\/[^/]*/i, '');
  const mount = mountPath.replace(/(?<!\/)\/+$/, '');
  if (mount === '' || !path.startsWith(mount)) return { path: path === '' ? '/' : path };
  const rest = path.slice(mount.length);
  if (rest.startsWith('/')) return { path: rest };
  if (rest !== '') return { path };
  // Relative, since a proxy may have removed part of the path.
  const name = mount.slice(mount.lastIndexOf('/') + 1);
  return { path: '', redirect: `./${name}/${address.slice(full.length)}` };
}

/** Options of `createPlayground`. */
export interface PlaygroundOptions {
  /**
   * Address of the API: a path of the page's origin, a path relative to the page such as `../v1`, or the URL of a server with
   * CORS. Default `/v1`.
   */
  readonly api?: string | undefined;
}

const allowedMethods = 'GET, HEAD';

/**
 * Creates a handler that serves the playground: one page to try every model of an API. It contains no
 * secret and needs no key; users enter a key, which stays in their browser tab.
 *
 * The page works below any path. It loads nothing from different hosts, and its Content-Security-Policy forbids it.
 * Files are read once, when the handler is created.
 *
 * @returns a handler for the same adapters as `createHandler`'s
 * @throws TypeError if `api` is not an API address
 *
 * @example
 * ```ts
 * import express from 'express';
 * import { toExpress } from 'slashv1/express';
 * import { createPlayground } from 'slashv1/playground';
 *
 * app.use('/v1', toExpress(handler));
 * app.use('/playground', toExpress(createPlayground()));
 * ```
 */
export function createPlayground(options: PlaygroundOptions = {}): Handler {
  assertNames('createPlayground', options, ['api']);
  const { api = '/v1' } = options;
  assertApi(api);
  const files = readPage({ api });
  const common = securityHeaders(api);

  const plain = (status: number, body: string, headers: Record<string, string> = {}): ApiResponse => ({
    status,
    headers: { ...common, 'content-type': 'text/plain; charset=utf-8', ...headers },
    body,
  });

  const handler = async (request: ApiRequest): Promise<ApiResponse> => {
    const place = placeOf(request.url, request.mountPath);
    const file = files.get(place.path);
    if (file === undefined && place.redirect === undefined) return plain(404, 'Not found.\n');
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      const message = `Expected GET or HEAD, got ${request.method}.\n`;
      return plain(405, message, { allow: allowedMethods });
    }
    if (file === undefined) return plain(308, '', { location: place.redirect! });
    return sendFile(file, request, common);
  };
  return Object.assign(handler, { paths: [...files.keys()] });
}

function sendFile(file: PageFile, request: ApiRequest, common: Record<string, string>): ApiResponse {
  const { etag, mediaType, bytes } = file;
  const headers = { ...common, etag, 'cache-control': 'no-cache' };
  if (isKnown(request.headers['if-none-match'], etag)) return { status: 304, headers, body: '' };
  // HEAD responses need the length too: adapters compute it from the body but don't send it.
  return { status: 200, headers: { ...headers, 'content-type': mediaType }, body: bytes };
}

/** True if the client has this version; weak comparison, RFC 9110 (13.1.2). */
function isKnown(ifNoneMatch: string | readonly string[] | undefined, etag: string): boolean {
  const tags = String(ifNoneMatch ?? '').split(',');
  return tags.map((tag) => tag.trim().replace(/^W\//, '')).some((tag) => tag === '*' || tag === etag);
}

/** Base to resolve relative addresses; only the path depth matters. */
const somewhere = 'http://somewhere.invalid/a/b/c/';

/** @throws TypeError if `api` is neither a path nor an http URL */
function assertApi(api: unknown): asserts api is string {
  const fault = (): never => {
    throw new TypeError(
      `api: expected a path such as "/v1" or an http(s) URL, got ${typeof api === 'string' ? JSON.stringify(api) : String(api)}`,
    );
  };
  if (typeof api !== 'string' || api === '' || !URL.canParse(api, somewhere)) return fault();
  const { origin, username, password, search, hash } = new URL(api, somewhere);
  if ([username, password, search, hash].some((part) => part !== '')) fault();
  // The origin is inserted into the policy, in which these characters are separators.
  if (origin !== new URL(somewhere).origin && !/^https?:\/\/[^;,']+$/i.test(api)) fault();
}

/** Headers of every response: the page may load itself, call the API and use the microphone. */
function securityHeaders(api: string): Record<string, string> {
  const { origin } = new URL(api, somewhere);
  const reached = origin === new URL(somewhere).origin ? "'self'" : `'self' ${origin}`;
  const policy = {
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' blob:",
    'media-src': 'blob:',
    'connect-src': reached,
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
    'require-trusted-types-for': "'script'",
    'trusted-types': "'none'",
  };
  return {
    'content-security-policy': Object.entries(policy)
      .map(([directive, value]) => `${directive} ${value}`)
      .join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'microphone=(self)',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  };
}

export interface PageFile {
  readonly mediaType: string;
  /** A strong validator: a hash of the bytes. */
  readonly etag: string;
  readonly bytes: Uint8Array;
}

const mediaTypes: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const { resolve } = createRequire(import.meta.url);
// The build writes the page there, wherever this module runs.
const pageFolder = join(dirname(resolve('slashv1/package.json')), 'dist', 'src', 'playground', 'page');

/** Reads all files of the page, by path; `/` is the page itself. */
function readPage(options: { readonly api: string }): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const name of readdirSync(pageFolder)) {
    const mediaType = mediaTypes[extname(name)];
    if (mediaType === undefined) continue;
    const bytes = readFileSync(join(pageFolder, name));
    if (name === 'index.html') files.set('/', toPageFile(mediaType, withApi(bytes, options.api)));
    else files.set(`/${name}`, toPageFile(mediaType, bytes));
  }
  return files;
}

function toPageFile(mediaType: string, bytes: Uint8Array): PageFile {
  return { mediaType, etag: `"${createHash('sha256').update(bytes).digest('base64url')}"`, bytes };
}

function withApi(page: Uint8Array, api: string): Uint8Array {
  const escaped = api.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
  const html = new TextDecoder().decode(page).replace('data-api="/v1"', () => `data-api="${escaped}"`);
  return new TextEncoder().encode(html);
}
