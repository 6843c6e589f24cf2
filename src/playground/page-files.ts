import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';

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
// The build writes the page there, wherever this module runs.
const pageFolder = join(dirname(resolve('slashv1/package.json')), 'dist', 'src', 'playground', 'page');

/** Reads all files of the page, by their path below it; `/` is the page itself. */
export function readPage(options: { readonly api: string }): Map<string, PageFile> {
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
