import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join, relative, sep } from 'node:path';

/** One file of the page, ready to be sent. */
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
// The compiler copies no page: its files are shipped as they are, where they are.
const pageFolder = join(dirname(resolve('slashv1/package.json')), 'src', 'playground', 'page');
/** Modules of packages that the page imports, by the path below it. */
const packageFiles: Readonly<Record<string, string>> = { '/packages/marked.js': 'marked' };

/**
 * Reads all files of the page, by their path below it; `/` is the page itself.
 *
 * @param options `api` is written into the page
 */
export function readPage(options: { readonly api: string }): Map<string, PageFile> {
  const files = new Map<string, PageFile>();
  for (const entry of readdirSync(pageFolder, { recursive: true, withFileTypes: true })) {
    const mediaType = mediaTypes[extname(entry.name)];
    if (!entry.isFile() || mediaType === undefined) continue;
    // Node 20.9 calls the folder `path`, later ones `parentPath`.
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const path = `/${relative(pageFolder, file).split(sep).join('/')}`;
    const bytes = readFileSync(file);
    if (path === '/index.html') files.set('/', toPageFile(mediaType, withApi(bytes, options.api)));
    else files.set(path, toPageFile(mediaType, bytes));
  }
  for (const [path, name] of Object.entries(packageFiles)) {
    files.set(path, toPageFile(mediaTypes['.js']!, readFileSync(resolve(name))));
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
