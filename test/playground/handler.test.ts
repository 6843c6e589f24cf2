import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createPlayground } from '../../dist/src/entries/playground.js';
import { toExpress } from '../../dist/adapters/express.js';
import { toFastify } from '../../dist/adapters/fastify.js';
import type { ApiResponse } from '../../src/contracts/http.ts';
import type { Start } from '../adapters/conformance.ts';
import { onExpress, onFastify, onFetch, onNode } from '../adapters/mounts.ts';

const root = resolve(import.meta.dirname, '../..');
const sources = join(root, 'src/playground/page');
const built = join(root, 'dist/src/playground/page');
const handler = createPlayground();

function ask(url: string, method = 'GET', headers: Record<string, string> = {}): Promise<ApiResponse> {
  return handler({ method, url, headers, body: { parsed: undefined }, signal: new AbortController().signal });
}

const bytesOf = ({ body }: ApiResponse) => Buffer.from(body as Uint8Array);
const policyOf = ({ headers }: ApiResponse) => String(headers['content-security-policy']);

describe('files', () => {
  it('are all there as they are, with their types and validators', async () => {
    const names = (await readdir(built)).filter((name) => name !== 'licences.md');
    expect(names).toEqual(expect.arrayContaining(['icon.svg', 'index.css', 'index.html', 'index.js']));
    for (const name of names) {
      const answer = await ask(name === 'index.html' ? '/' : `/${name}`);
      expect(answer.status, name).toBe(200);
      expect(answer.headers['content-type'], name).toMatch(/^(text\/(html|css|javascript)|image\/svg\+xml)/);
      expect(bytesOf(answer).equals(await readFile(join(built, name))), name).toBe(true);
    }
  });

  it('hold another package with its licence, which is not served', async () => {
    const licences = await readFile(join(built, 'licences.md'), 'utf8');
    expect([...licences.matchAll(/^## (\S+) - \S+ \((\S+)\)$/gm)].map(([, ...found]) => found)).toEqual([
      ['devlop', 'MIT'],
      ['highlight.js', 'BSD-3-Clause'],
      ['lowlight', 'MIT'],
      ['marked', 'MIT'],
    ]);
    expect(licences).toContain('Permission is hereby granted');
    expect((await ask('/licences.md')).status).toBe(404);
  });

  it('name one another, and nothing else', async () => {
    const page = bytesOf(await ask('/')).toString();
    for (const [, path] of page.matchAll(/(?:href|src)="([^"#]+)"/g)) {
      expect((await ask(new URL(path!, 'http://somewhere.invalid').pathname)).status, path).toBe(200);
    }
    const files = [sources, built].map(async (folder) =>
      (await readdir(folder, { recursive: true })).map((name) => join(folder, name)),
    );
    for (const file of (await Promise.all(files)).flat()) {
      const source = /\.(html|css|js|svg)$/.test(file) ? await readFile(file, 'utf8') : '';
      const addresses = [...source.matchAll(/https?:\/\/[^\s'"`)]+/g)].map(([address]) => address);
      // All but the first stand in errors' texts of packages.
      const named = new Set([
        'http://www.w3.org/2000/svg',
        'https://github.com/markedjs/marked.',
        'https://github.com/highlightjs/highlight.js/issues/2277',
        'https://github.com/highlightjs/highlight.js/wiki/security',
      ]);
      expect(addresses.filter((address) => !named.has(address))).toEqual([]);
      // highlight.js has a function for pages, which lowlight doesn't call and the policy of Trusted Types would stop.
      if (file.endsWith('/grammars.js') && file.startsWith(built)) continue;
      expect(source, file).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\b/);
    }
  });

  it.each([
    '/nothing',
    '/index.html',
    '/../package.json',
    '/scripts',
    '/scripts/main.js',
    '/%2e%2e/package.json',
    '/index.js/',
  ])('nothing at %s', async (url) => {
    const answer = await ask(url);
    expect(answer.status).toBe(404);
    expect(policyOf(answer)).toContain("default-src 'none'");
  });
});

describe('methods', () => {
  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('refuses %s', async (method) => {
    const answer = await ask('/', method);
    expect(answer.status).toBe(405);
    expect(answer.headers['allow']).toBe('GET, HEAD');
    expect((await ask('/nothing', method)).status).toBe(404);
  });
});

describe('validators', () => {
  it.each([
    ['the same', (etag: string) => etag, 304],
    ['a weak one', (etag: string) => `W/${etag}`, 304],
    ['one of several', (etag: string) => `"other", ${etag}`, 304],
    ['any', () => '*', 304],
    ['another', () => '"other"', 200],
    ['a part of it', (etag: string) => etag.slice(0, -2), 200],
    ['none', () => '', 200],
  ])('%s', async (_name, toHeader, status) => {
    const first = await ask('/');
    const etag = String(first.headers['etag']);
    const answer = await ask('/', 'GET', { 'if-none-match': toHeader(etag) });
    expect(answer.status).toBe(status);
    expect(answer.headers['etag']).toBe(etag);
    expect(answer.headers['cache-control']).toBe('no-cache');
    expect(policyOf(answer)).toBe(policyOf(first));
    if (status === 304) expect(answer.body).toBe('');
  });

  it('differ with the API', async () => {
    const other = await createPlayground({ api: '/other/v1' })({
      method: 'GET',
      url: '/',
      headers: {},
      body: { parsed: undefined },
      signal: new AbortController().signal,
    });
    expect(other.headers['etag']).not.toBe((await ask('/')).headers['etag']);
    expect(bytesOf(other).toString()).toContain('data-api="/other/v1"');
  });
});

describe('api', () => {
  const open = async (api: string): Promise<ApiResponse> =>
    createPlayground({ api })({
      method: 'GET',
      url: '/',
      headers: {},
      body: { parsed: undefined },
      signal: new AbortController().signal,
    });

  it.each([
    ['/v1', "connect-src 'self';"],
    ['../v1', "connect-src 'self';"],
    ['v1', "connect-src 'self';"],
    ['https://api.example.org/v1', "connect-src 'self' https://api.example.org;"],
    ['http://127.0.0.1:8000/v1', "connect-src 'self' http://127.0.0.1:8000;"],
  ])('%s', async (api, directive) => {
    const answer = await open(api);
    expect(policyOf(answer)).toContain(directive);
    expect(bytesOf(answer).toString()).toContain(`data-api="${api}"`);
  });

  it('is escaped', async () => {
    const page = bytesOf(await open('/v1"><script>$&')).toString();
    expect(page).toContain('data-api="/v1&quot;>&lt;script>$&amp;"');
    expect(page).not.toContain('"><script>$');
  });

  it.each([
    '',
    '//example.org/v1',
    '\\\\example.org/v1',
    'ftp://example.org/v1',
    'javascript:alert(1)',
    'https://user:secret@example.org/v1',
    '/v1?key=1',
    '/v1#x',
    "https://a;script-src'none'/v1",
    'https://',
    7,
    null,
  ])('refuses %s', (api) => {
    expect(() => createPlayground({ api: api as string })).toThrow(/^api: expected a path such as "\/v1"/);
  });
});

describe.each<[string, Start, string]>([
  ['node, at the root', onNode('/'), ''],
  ['node, at a path', onNode('/tools/play', '/tools/play'), '/tools/play'],
  ['fetch, at a path', onFetch('/play', '/play'), '/play'],
  ['express', onExpress('/play', '/play', (app, page) => app.use('/play', toExpress(page))), '/play'],
  [
    'fastify',
    onFastify('/a/play', '/a/play', (app, page) => void app.register(toFastify(page), { prefix: '/a/play' })),
    '/a/play',
  ],
])('mounted with %s', (_name, start, path) => {
  it('serves the page and its files, and sends those without a slash to the right place', async () => {
    const mount = await start(handler);
    const origin = new URL(mount.baseUrl).origin;
    const get = (url: string, init?: RequestInit) =>
      mount.fetch(origin + path + url, { redirect: 'manual', ...init });

    const page = await get('/');
    expect(page.status).toBe(200);
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(await page.text()).toContain('<title>Playground');
    for (const name of [
      'content-security-policy',
      'referrer-policy',
      'x-content-type-options',
      'permissions-policy',
      'cross-origin-opener-policy',
    ]) {
      expect(page.headers.get(name), name).not.toBeNull();
    }
    expect((await get('/index.js?v=1')).headers.get('content-type')).toBe('text/javascript; charset=utf-8');
    const etag = page.headers.get('etag')!;
    const unchanged = await get('/', { headers: { 'if-none-match': etag } });
    expect([unchanged.status, await unchanged.text()]).toEqual([304, '']);
    const head = await get('/', { method: 'HEAD' });
    expect([head.status, await head.text(), head.headers.get('etag')]).toEqual([200, '', etag]);
    expect(head.headers.get('content-length')).toBe(page.headers.get('content-length'));
    const posted = await get('/', { method: 'POST', body: 'x' });
    expect([posted.status, posted.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
    expect((await get('/nothing')).status).toBe(404);

    if (path !== '') {
      const bare = await get('?x=1');
      expect(bare.status).toBe(308);
      expect(new URL(bare.headers.get('location')!, origin + path).href).toBe(`${origin}${path}/?x=1`);
    }
    await mount.close();
  });
});
