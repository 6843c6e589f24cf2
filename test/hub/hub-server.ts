import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join, relative } from 'node:path';

/** A request that came in. */
export interface SeenRequest {
  /** The hub itself, or the storage that it redirects to. */
  readonly server: 'hub' | 'storage';
  readonly method: string;
  readonly path: string;
  readonly range: string | undefined;
  readonly ifRange: string | undefined;
  readonly authorization: string | undefined;
}

/** What goes wrong with a request. */
export type Fault =
  | { readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  /** The connection breaks after so many bytes of the body. */
  | { readonly cutAfterBytes: number }
  /** The headers come, the body never does. */
  | { readonly stalls: true }
  | { readonly body: Uint8Array }
  | { readonly json: unknown }
  | { readonly ignoresRange: true };

export interface HubServer {
  readonly endpoint: string;
  readonly requests: SeenRequest[];
  /** `org/name` → path of a file → its content. */
  readonly models: Map<string, Map<string, Uint8Array>>;
  /** Asked about every request; `undefined` where it goes well. */
  fault: (request: SeenRequest) => Fault | undefined;
  /** GET requests for files, without the listings. */
  downloads(): readonly SeenRequest[];
  close(): Promise<void>;
}

/** Files of that size and more are in large file storage, as graphs and tokenizers are. */
const largeBytes = 1000;

/**
 * A server with the URL layout of the hub, on two ports: large files are redirected to a second one, which knows neither
 * the hub's tokens nor its headers.
 */
export async function startHub(): Promise<HubServer> {
  const requests: SeenRequest[] = [];
  const models: HubServer['models'] = new Map();
  const hub: Omit<HubServer, 'endpoint'> = {
    requests,
    models,
    fault: () => undefined,
    downloads: () => requests.filter(({ method, path }) => method === 'GET' && !path.startsWith('/api/')),
    async close() {
      await Promise.all([front, storage].map(stop));
    },
  };
  const serve = (server: SeenRequest['server'], answer: Answer) =>
    createServer((request, response) => {
      const seen = see(server, request);
      requests.push(seen);
      const fault = result.fault(seen);
      if (fault && 'status' in fault) return void response.writeHead(fault.status, fault.headers).end('no');
      if (fault && 'json' in fault) return void response.end(JSON.stringify(fault.json));
      answer(seen, response, fault);
    });
  const storage = serve('storage', ({ path, ...request }, response, fault) => {
    const [, , org, name, hash] = path.split('/');
    const files = [...models.get(`${org}/${name}`)!.values()];
    const content = files.find((one) => sha256(one) === hash)!;
    send(request, response, { content, headers: { etag: `"storage-${hash!.slice(0, 8)}"` }, fault });
  });
  const front = serve('hub', (request, response, fault) => {
    const { pathname } = new URL(request.path, 'http://hub');
    const listed = /^\/api\/models\/([^/]+\/[^/]+)\/revision\/([^/]+)$/.exec(pathname);
    if (listed) return list(response, models.get(listed[1]!), decodeURIComponent(listed[2]!));
    const treeOf = /^\/api\/models\/([^/]+\/[^/]+)\/tree\//.exec(pathname);
    if (treeOf) return sendTree(response, models.get(treeOf[1]!)!);
    const [, id, path] = /^\/([^/]+\/[^/]+)\/resolve\/[^/]+\/(.+)$/.exec(pathname) ?? [];
    const content = models.get(id ?? '')?.get(decodeURIComponent(path ?? ''));
    if (!content) return void response.writeHead(404, { 'x-error-code': 'EntryNotFound' }).end();
    const headers = { 'x-repo-commit': commitOf(models.get(id!)!) };
    if (content.length < largeBytes)
      return send(request, response, {
        content,
        headers: { ...headers, etag: `"${gitHash(content)}"` },
        fault,
      });
    response
      .writeHead(302, {
        ...headers,
        location: `${address(storage)}/blobs/${id}/${sha256(content)}/?signature=secret`,
        'x-linked-etag': `"${sha256(content)}"`,
        'x-linked-size': content.length,
      })
      .end();
  });
  await Promise.all([front, storage].map(listen));
  const result: HubServer = Object.assign(hub, { endpoint: address(front) });
  return result;
}

type Answer = (request: SeenRequest, response: ServerResponse, fault: Fault | undefined) => void;

function see(server: SeenRequest['server'], { method, url, headers }: IncomingMessage): SeenRequest {
  return {
    server,
    method: method!,
    path: url!,
    range: headers.range,
    ifRange: headers['if-range'] as string | undefined,
    authorization: headers.authorization,
  };
}

function list(
  response: ServerResponse,
  files: ReadonlyMap<string, Uint8Array> | undefined,
  revision: string,
): void {
  if (!files) return void response.writeHead(404, { 'x-error-code': 'RepoNotFound' }).end();
  const sha = commitOf(files);
  if (revision !== 'main' && revision !== 'v1' && revision !== sha)
    return void response.writeHead(404, { 'x-error-code': 'RevisionNotFound' }).end();
  const siblings = [...files].map(([rfilename, content]) => ({ rfilename, ...describe(content) }));
  response
    .writeHead(200, { 'content-type': 'application/json' })
    .end(JSON.stringify({ id: 'tiny/model', sha, siblings }));
}

/** The listing that the library for Python asks for. */
function sendTree(response: ServerResponse, files: ReadonlyMap<string, Uint8Array>): void {
  const entries = [...files].map(([path, content]) => {
    const { size, blobId, lfs } = describe(content);
    return { type: 'file', path, size, oid: blobId, ...(lfs && { lfs: { oid: lfs.sha256, ...lfs } }) };
  });
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(entries));
}

function describe(content: Uint8Array) {
  const { length: size } = content;
  if (size < largeBytes) return { size, blobId: gitHash(content) };
  const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(content)}\nsize ${size}\n`;
  const lfs = { sha256: sha256(content), size, pointerSize: pointer.length };
  return { size, blobId: gitHash(Buffer.from(pointer)), lfs };
}

/** Sends a file, or the part that is asked for. */
export function send(
  { method, range, ifRange }: Pick<SeenRequest, 'method' | 'range' | 'ifRange'>,
  response: ServerResponse,
  {
    content,
    headers,
    fault,
  }: {
    readonly content: Uint8Array;
    readonly headers: Readonly<Record<string, string>>;
    readonly fault?: Fault | undefined;
  },
): void {
  const whole = fault && 'body' in fault ? fault.body : content;
  const isPart =
    range !== undefined &&
    !(fault && 'ignoresRange' in fault) &&
    (ifRange === undefined || ifRange === headers['etag']);
  const start = isPart ? Number(/^bytes=(\d+)-\d*$/.exec(range)![1]) : 0;
  const body = whole.subarray(start);
  const partial = { 'content-range': `bytes ${start}-${whole.length - 1}/${whole.length}` };
  response.writeHead(isPart ? 206 : 200, {
    ...headers,
    'content-length': body.length,
    ...(isPart ? partial : {}),
  });
  if (method === 'HEAD') return void response.end();
  if (fault && 'stalls' in fault) return response.flushHeaders();
  if (!(fault && 'cutAfterBytes' in fault)) return void response.end(body);
  response.write(body.subarray(0, fault.cutAfterBytes), () => setTimeout(() => response.destroy(), 20));
}

/** All files of a folder by their paths in it. */
export function readFolder(folder: string): Map<string, Uint8Array> {
  return new Map(filesIn(folder).map((path) => [path, readFileSync(join(folder, path))]));
}

/** Paths of the files of a folder, and of the links to files. */
export function filesIn(folder: string): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)))
    .sort();
}

export function sha256(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** What `git hash-object` prints. */
function gitHash(content: Uint8Array): string {
  return createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');
}

export function commitOf(files: ReadonlyMap<string, Uint8Array>): string {
  const hash = createHash('sha1');
  for (const [path, content] of files) hash.update(path).update(content);
  return hash.digest('hex');
}

export async function listen(server: Server): Promise<void> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

export async function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

export function address(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
