import { once } from 'node:events';
import { existsSync, rmSync } from 'node:fs';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { downloadFile } from '../../src/hub/download.ts';
import type { ObtainOptions } from '../../src/loading/files.ts';
import { obtainModel, type ModelRequest } from '../../src/loading/files.ts';
import { listCachedModels, RepositoryCache } from '../../src/hub/model-cache.ts';
import type { DownloadProgress } from '../../src/hub/progress.ts';
import { readAnswer } from '../../src/hub/http.ts';
import { defaultRetryPolicy } from '../../src/hub/retry.ts';
import { locateModel } from '../../src/folder/source.ts';
import { readVerified } from '../../src/hub/verified-files.ts';
import { assertIntact } from '../../src/hub/verify-files.ts';
import {
  commitOf,
  filesIn,
  readFolder,
  sha256,
  startHub,
  type Fault,
  type HubServer,
  type SeenRequest,
} from './hub-server.ts';

const tinyEmbed = locateModel('tiny-embed');
const source = 'tiny/embed';
const token = 'hf_secret';
const retry = { minDelayMs: 1, attempts: 3, stallMs: 2000 };

let hub: HubServer;
let cacheFolder: string;
beforeAll(async () => {
  hub = await startHub();
});
afterAll(() => hub.close());
beforeEach(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'slashv1-hub-'));
  hub.models.clear();
  hub.models.set(source, readFolder(tinyEmbed));
  hub.fault = () => undefined;
  hub.requests.length = 0;
});
afterEach(() => rm(cacheFolder, { recursive: true, force: true }));

async function obtain(request: Partial<ModelRequest> = {}, options: ObtainOptions = {}): Promise<string> {
  const { endpoint } = hub;
  const model = await obtainModel(
    { source, category: 'embedding', ...request, hub: { endpoint, cacheFolder, token, ...request.hub } },
    { retry, ...options },
  );
  return model.source;
}

/** Paths of the files that were asked for, as often as they were. */
function downloaded(): string[] {
  return hub
    .downloads()
    .filter(({ server }) => server === 'hub')
    .map(({ path }) => /\/resolve\/[^/]+\/(.*)$/.exec(path)![1]!)
    .sort();
}

/** Something goes wrong with the first requests that a test picks. */
function failFirst(times: number, picks: (request: SeenRequest) => boolean, fault: Fault): void {
  let left = times;
  hub.fault = (request) => (picks(request) && left-- > 0 ? fault : undefined);
}

/** Compared as a whole: telling where two files differ takes the matcher half a minute. */
async function expectSame(folder: string, path: string): Promise<void> {
  const [actual, expected] = await Promise.all([folder, tinyEmbed].map((one) => readFile(join(one, path))));
  expect(actual!.equals(expected!), path).toBe(true);
}

const isStored = ({ server }: SeenRequest): boolean => server === 'storage';
const graph = 'onnx/model.onnx';
const needed = [
  '1_Pooling/config.json',
  'config.json',
  'config_sentence_transformers.json',
  'modules.json',
  graph,
  'sentence_bert_config.json',
  'tokenizer.json',
  'tokenizer_config.json',
];

describe('obtainModel', () => {
  it('downloads the files that the category needs, and no others', async () => {
    const folder = await obtain();
    expect(filesIn(folder)).toEqual(needed);
    expect([...hub.models.get(source)!.keys()].length).toBeGreaterThan(needed.length);
    for (const name of needed) {
      await expectSame(folder, name);
    }
    expect(downloaded()).toEqual(needed);
  });

  it('notes that it has compared them, so that loading need not', async () => {
    const folder = await obtain();
    expect(Object.keys(await readVerified(folder)).sort()).toEqual(needed);
    await writeFile(join(folder, graph), 'other');
    await expect(assertIntact(folder)).rejects.toThrow("isn't what it should be");
  });

  it('downloads nothing twice', async () => {
    const folder = await obtain();
    hub.requests.length = 0;
    expect(await obtain()).toBe(folder);
    expect(hub.requests.map(({ path }) => path)).toEqual([`/api/models/${source}/revision/main?blobs=true`]);
  });

  it('downloads of a new commit only what has changed', async () => {
    const before = await obtain();
    hub.models.get(source)!.set('config.json', Buffer.from('{"changed":true}'));
    hub.requests.length = 0;
    const after = await obtain();
    expect(downloaded()).toEqual(['config.json']);
    expect(after).not.toBe(before);
    expect(filesIn(after)).toEqual(needed);
    expect(await readFile(join(after, 'config.json'), 'utf8')).toBe('{"changed":true}');
    await expectSame(before, 'config.json');
  });

  it('shows its token to the hub alone', async () => {
    await obtain();
    const tokensOf = (server: string) =>
      new Set(hub.requests.filter((one) => one.server === server).map(({ authorization }) => authorization));
    expect(tokensOf('hub')).toEqual(new Set([`Bearer ${token}`]));
    expect(tokensOf('storage')).toEqual(new Set([undefined]));
  });

  it('takes a revision, and asks nothing more about a commit that it has', async () => {
    await obtain({ source: `${source}@v1` });
    expect(hub.requests[0]!.path).toBe(`/api/models/${source}/revision/v1?blobs=true`);
    const pinned = `${source}@${commitOf(hub.models.get(source)!)}`;
    const folder = await obtain({ source: pinned });
    hub.requests.length = 0;
    expect(await obtain({ source: pinned })).toBe(folder);
    expect(hub.requests).toEqual([]);
  });

  it('leaves sources on this disk alone', async () => {
    expect(await obtain({ source: 'tiny-embed' })).toBe('tiny-embed');
    expect(await obtain({ source: tinyEmbed })).toBe(tinyEmbed);
    expect(hub.requests).toEqual([]);
  });

  it('tells how far it is', async () => {
    const seen: DownloadProgress[] = [];
    await obtain({}, { onProgress: (progress) => seen.push(progress) });
    const of = (type: string) =>
      seen
        .filter((one) => one.type === type)
        .map(({ file }) => file)
        .sort();
    expect(of('file-begin')).toEqual(needed);
    expect(of('file-end')).toEqual(needed);
    const last = seen.at(-1)!;
    const sizeBytes = needed.reduce((sum, name) => sum + hub.models.get(source)!.get(name)!.length, 0);
    expect(last).toMatchObject({ source, overall: { files: needed.length, finishedFiles: needed.length } });
    expect(last.overall).toMatchObject({ receivedBytes: sizeBytes, totalBytes: sizeBytes });
  });

  it('lists what it has', async () => {
    const folder = await obtain();
    const sizeBytes = needed.reduce((sum, name) => sum + hub.models.get(source)!.get(name)!.length, 0);
    expect(await listCachedModels(cacheFolder)).toEqual([
      { source, revision: 'main', commit: commitOf(hub.models.get(source)!), folder, sizeBytes },
    ]);
  });

  it('removes what it is told to', async () => {
    await obtain();
    expect(await new RepositoryCache(cacheFolder, 'tiny/other').remove()).toBe(false);
    expect(await new RepositoryCache(cacheFolder, source).remove()).toBe(true);
    expect(await listCachedModels(cacheFolder)).toEqual([]);
    expect(filesIn(cacheFolder)).toEqual([]);
  });

  it('takes no path that leads out of its folder', async () => {
    const files = hub.models.get(source)!;
    files.set('../config.json', Buffer.from('{}'));
    files.set('../_Pooling/config.json', Buffer.from('{}'));
    files.set('.._Pooling/config.json', Buffer.from('{}'));
    expect(filesIn(await obtain())).toEqual(needed);
    expect(downloaded()).toEqual(needed);
  });
});

describe('a download that goes wrong', () => {
  it.each([500, 503, 429, 408])('is repeated after status %i', async (status) => {
    failFirst(2, () => true, { status });
    expect(filesIn(await obtain())).toEqual(needed);
  });

  it('waits for as long as the server asks, within limits', async () => {
    failFirst(1, isStored, { status: 429, headers: { 'retry-after': '3600' } });
    const obtaining = obtain({}, { retry: { ...retry, maxDelayMs: 10 } });
    expect(filesIn(await obtaining)).toEqual(needed);
  });

  it('is given up at last', async () => {
    hub.fault = (request) => (isStored(request) ? { status: 502 } : undefined);
    await expect(obtain()).rejects.toMatchObject({
      code: 'worker_failed',
      param: 'source',
      message: expect.stringMatching(/^source: .* answers with status 502, after 3 attempts in a row\.$/),
    });
  });

  it('goes on where the connection broke', async () => {
    const { length } = hub.models.get(source)!.get(graph)!;
    const picks = ({ server, path }: SeenRequest) => server === 'storage' && path.includes(hashOfGraph());
    failFirst(1, picks, { cutAfterBytes: 100_000 });
    const folder = await obtain();
    await expectSame(folder, graph);
    const ranges = hub
      .downloads()
      .filter(picks)
      .map(({ range }) => range);
    expect(ranges).toHaveLength(2);
    expect(ranges[0]).toBeUndefined();
    const from = Number(/^bytes=(\d+)-$/.exec(ranges[1]!)![1]);
    expect(from).toBeGreaterThan(0);
    expect(from).toBeLessThanOrEqual(100_000);
    expect(length).toBeGreaterThan(100_000);
  });

  it('goes on where an earlier process ended', async () => {
    const picks = ({ server, path }: SeenRequest) => server === 'storage' && path.includes(hashOfGraph());
    hub.fault = (request) => (picks(request) ? { cutAfterBytes: 50_000 } : undefined);
    await expect(obtain({}, { retry: { ...retry, attempts: 1 } })).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringContaining(`the download of ${graph} of "${source}" was interrupted`),
    });
    hub.fault = () => undefined;
    hub.requests.length = 0;
    expect(filesIn(await obtain())).toEqual(needed);
    const request = hub.downloads().find(picks);
    expect(request!.range).toMatch(/^bytes=[1-9]\d*-$/);
  });

  it('begins anew where the server knows no ranges', async () => {
    let cuts = 1;
    hub.fault = (request) => {
      if (!isStored(request) || !request.path.includes(hashOfGraph())) return undefined;
      return cuts-- > 0 ? { cutAfterBytes: 50_000 } : { ignoresRange: true };
    };
    const folder = await obtain();
    await expectSame(folder, graph);
  });

  it('is repeated when nothing comes any more', async () => {
    failFirst(1, isStored, { stalls: true });
    expect(filesIn(await obtain({}, { retry: { ...retry, stallMs: 200 } }))).toEqual(needed);
  });

  it('leaves nothing of a file that is not what it should be', async () => {
    const wrong = Buffer.alloc(hub.models.get(source)!.get(graph)!.length, 7);
    const picks = ({ server, path }: SeenRequest) => server === 'storage' && path.includes(hashOfGraph());
    hub.fault = (request) => (picks(request) ? { body: wrong } : undefined);
    await expect(obtain()).rejects.toMatchObject({
      code: 'worker_failed',
      param: 'source',
      message: expect.stringContaining(`${graph} of "${source}" isn't what it should be (its sha256`),
    });
    expect(filesIn(cacheFolder).filter((path) => path.includes(hashOfGraph()))).toEqual([]);
    hub.fault = () => undefined;
    expect(filesIn(await obtain())).toEqual(needed);
  });

  // Repeated, since `fetch` may lose that a download beside it is aborted: then nothing ends.
  it('checks small files by the id that git gives them', { repeats: 20 }, async () => {
    const { length } = hub.models.get(source)!.get('modules.json')!;
    hub.fault = ({ path }) =>
      path.endsWith('/modules.json') ? { body: Buffer.alloc(length, ' ') } : undefined;
    await expect(obtain()).rejects.toThrow(/modules\.json .* isn't what it should be \(its git-sha1/);
  });

  it('recovers from a damaged beginning', async () => {
    const folder = await obtain();
    const blob = filesIn(cacheFolder).find((path) => path.endsWith(hashOfGraph()))!;
    await rm(folder, { recursive: true });
    await rm(join(cacheFolder, blob));
    await writeFile(join(cacheFolder, `${blob}.slashv1.incomplete`), Buffer.alloc(1000, 7));
    await obtain();
    await expectSame(folder, graph);
  });

  it('ends when it is told to', async () => {
    const controller = new AbortController();
    hub.fault = (request) => {
      if (!isStored(request)) return undefined;
      controller.abort(new Error('enough'));
      return { stalls: true };
    };
    await expect(obtain({}, { signal: controller.signal })).rejects.toThrow('enough');
  });

  it('says what is wrong with the disk', async () => {
    const file = join(cacheFolder, 'file');
    await writeFile(file, '');
    await expect(obtain({ hub: { cacheFolder: file } })).rejects.toMatchObject({
      code: 'worker_failed',
      param: 'source',
      message: expect.stringMatching(/the cache folder .*file can't be used \(ENOTDIR\); SLASHV1_CACHE/),
    });
  });

  it('says that somebody has removed it meanwhile', async () => {
    hub.fault = (request) => {
      if (isStored(request)) rmSync(cacheFolder, { recursive: true, force: true, maxRetries: 5 });
      return undefined;
    };
    await expect(obtain()).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringMatching(
        /^source: files of "tiny\/embed" were removed from the cache folder .* during the download; load it again\.$/,
      ),
    });
  });

  it('refuses what the disk has no room for, before it begins', async () => {
    const siblings = [
      { rfilename: 'config.json', size: hub.models.get(source)!.get('config.json')!.length },
      { rfilename: graph, lfs: { sha256: 'a'.repeat(64), size: 2 ** 60 } },
    ];
    hub.fault = ({ path }) => (path.startsWith('/api/') ? { json: { sha: 'abcdef0', siblings } } : undefined);
    await expect(obtain()).rejects.toMatchObject({
      code: 'worker_failed',
      message: expect.stringMatching(/"tiny\/embed" needs 1152921504607 MB more in .*SLASHV1_CACHE/),
    });
    expect(downloaded()).toEqual(['config.json']);
  });

  it('refuses an answer that is no listing', async () => {
    hub.fault = () => ({ json: { sha: '..', siblings: [] } });
    await expect(obtain()).rejects.toThrow('answers with no list of files for "tiny/embed"');
  });

  it.each<[string, object]>([
    ['a name that is no text', { rfilename: 5 }],
    ['no name', {}],
    ['a size that is no number', { rfilename: 'config.json', size: '9' }],
    ['a size below 0', { rfilename: 'config.json', size: -1 }],
    ['a hash that is no text', { rfilename: 'config.json', blobId: 5 }],
  ])('refuses a listing with a file of %s', async (_, sibling) => {
    hub.fault = () => ({ json: { sha: '0'.repeat(40), siblings: [sibling] } });
    await expect(obtain()).rejects.toMatchObject({
      code: 'invalid_request',
      message: expect.stringContaining('answers with no list of files for "tiny/embed"'),
    });
  });

  it('leaves a list that does not end', async () => {
    let isLeft = false;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(1000)),
      cancel: () => void (isLeft = true),
    });
    await expect(readAnswer(new Response(body), { maxBytes: 100_000 })).rejects.toThrow(
      'has more than 100000 bytes',
    );
    expect(isLeft).toBe(true);
  });

  it('ends a file that does not end, where no server reports its size', async () => {
    const server = createServer((_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(1000)));
        if (!response.destroyed) response.once('drain', write);
      };
      write();
    }).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await once(server, 'listening');
    const host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
    const policy = { ...defaultRetryPolicy, ...retry };
    const remote = { host, tokenOrigin: '', token: undefined, label: 'm', page: undefined, policy };
    const url = `http://${host}/config.json`;
    const file = {
      path: 'config.json',
      url,
      sizeBytes: undefined,
      hash: undefined,
      identity: '',
      etag: undefined,
    };
    const path = join(cacheFolder, 'part');
    const options = { maxUnsizedBytes: 100_000 };
    await expect(downloadFile(remote, file, path, options)).rejects.toThrow(
      `config.json of m has more than 100000 bytes, and ${host} doesn't report its size`,
    );
    expect((await stat(path)).size).toBe(0);
  });

  const hashOfGraph = () => hashOf(graph);
});

function hashOf(path: string): string {
  return sha256(hub.models.get(source)!.get(path)!);
}

describe('a model that is not to be had', () => {
  it.each<[string, Fault, RegExp]>([
    [
      'is unknown',
      { status: 404, headers: { 'x-error-code': 'RepoNotFound' } },
      /there is no model "tiny\/embed" on 127\.0\.0\.1:\d+, and no such folder here/,
    ],
    [
      'asks for a token',
      { status: 401 },
      /check the name; if the model is private or gated, accept its terms at http.*\/tiny\/embed and set HF_TOKEN/,
    ],
    [
      'is gated',
      { status: 403, headers: { 'x-error-code': 'GatedRepo' } },
      /accept its terms at http.*\/tiny\/embed and set HF_TOKEN/,
    ],
    ['has an odd server', { status: 418 }, /answers with status 418/],
    [
      'redirects in circles',
      { status: 302, headers: { location: '/' } },
      /redirects "tiny\/embed" in circles/,
    ],
    [
      'redirects to a file',
      { status: 302, headers: { location: 'file:///etc/passwd' } },
      /isn't safe to follow/,
    ],
  ])('%s', async (_title, fault, message) => {
    hub.fault = () => fault;
    const obtaining = obtain();
    await expect(obtaining).rejects.toMatchObject({ code: 'invalid_request', param: 'source' });
    await expect(obtaining).rejects.toThrow(message);
    await expect(obtaining).rejects.not.toThrow(token);
  });

  it('tells a missing revision from a missing model', async () => {
    await expect(obtain({ source: `${source}@v9` })).rejects.toThrow('"tiny/embed" has no revision v9');
    await expect(obtain({ source: 'tiny/none' })).rejects.toThrow('there is no model "tiny/none"');
  });

  it('names a file that has gone meanwhile', async () => {
    hub.fault = ({ path }) => (path.endsWith('/modules.json') ? { status: 404 } : undefined);
    await expect(obtain()).rejects.toThrow('"tiny/embed" has no file modules.json');
  });

  it('has no graph', async () => {
    hub.models.get(source)!.delete(graph);
    await expect(obtain()).rejects.toThrow(
      'none of onnx/model.onnx, model.onnx exists in "tiny/embed", in any dtype',
    );
    expect(downloaded()).toEqual(['config.json']);
  });
});

describe('a model with architectures', () => {
  const category = 'transcription';
  beforeEach(() => {
    hub.models.set(
      source,
      new Map([
        ['config.json', Buffer.from('{ "model_type": "cohere_asr" }')],
        ['onnx/encoder_model.onnx', Buffer.from('encoder')],
        ['onnx/decoder_model_merged.onnx', Buffer.from('decoder')],
      ]),
    );
  });

  it('that its backend does not run is refused before its weights are fetched', async () => {
    await expect(obtain({ category })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'backend',
      message: 'backend: onnx() runs no "cohere_asr" for transcription, expected transformers(), which does.',
    });
    expect(downloaded()).toEqual(['config.json']);
  });

  it('comes with the files that the architecture of its backend names, the config once', async () => {
    const seen: DownloadProgress[] = [];
    const backend = { kind: 'transformers' } as const;
    await obtain({ category, backend }, { onProgress: (progress) => seen.push(progress) });
    expect(downloaded()).toEqual([
      'config.json',
      'onnx/decoder_model_merged.onnx',
      'onnx/encoder_model.onnx',
    ]);
    const { overall } = seen.at(-1)!;
    expect(overall.finishedFiles).toBe(3);
    expect(overall.receivedBytes).toBe(overall.totalBytes);
    const hubOptions = { offline: true };
    hub.requests.length = 0;
    await obtain({ category, backend, hub: hubOptions });
    expect(hub.requests).toEqual([]);
  });

  it('that no backend runs is refused with those that run', async () => {
    hub.models.get(source)!.set('config.json', Buffer.from('{ "model_type": "earwig" }'));
    await expect(obtain({ category })).rejects.toMatchObject({
      param: 'source',
      message: expect.stringMatching(
        /no backend runs "earwig" for transcription: onnx\(\) runs whisper, .*; transformers\(\) runs .*moonshine/,
      ) as string,
    });
    expect(downloaded()).toEqual(['config.json']);
  });
});

describe('dtype', () => {
  beforeEach(() => {
    const files = hub.models.get(source)!;
    for (const name of [
      'model_q4.onnx',
      'model_q4.onnx_data',
      'model_q4.onnx_data_1',
      'model_quantized.onnx',
    ])
      files.set(`onnx/${name}`, Buffer.from(name));
  });

  it.each([
    [undefined, ['onnx/model.onnx']],
    ['auto', ['onnx/model.onnx']],
    ['q8', ['onnx/model_quantized.onnx']],
    ['q4', ['onnx/model_q4.onnx', 'onnx/model_q4.onnx_data', 'onnx/model_q4.onnx_data_1']],
  ] as const)('%s takes %j', async (dtype, graphs) => {
    const folder = await obtain({ dtype });
    expect(filesIn(folder).filter((path) => path.startsWith('onnx/'))).toEqual(graphs);
  });

  it('lists what is there where one is not', async () => {
    await expect(obtain({ dtype: 'fp16' })).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'dtype',
      message: 'dtype: "tiny/embed" has weights in fp32, q8, q4, not in fp16.',
    });
    await expect(obtain({ dtype: 'q5' as never })).rejects.toThrow(
      'dtype: expected one of auto, fp32, fp16, q8, q4, q4f16, got "q5"',
    );
  });
});

describe('without the network', () => {
  const offline = { hub: { offline: true } };

  it('takes what is in the cache, and asks nobody', async () => {
    const folder = await obtain();
    hub.requests.length = 0;
    expect(await obtain(offline)).toBe(folder);
    expect(hub.requests).toEqual([]);
  });

  it('says what is missing', async () => {
    await expect(obtain(offline)).rejects.toMatchObject({
      code: 'invalid_request',
      param: 'source',
      message: expect.stringMatching(/"tiny\/embed" \(main\) is not in the cache .*offline mode is on/),
    });
    const folder = await obtain();
    await rm(join(folder, graph));
    await expect(obtain(offline)).rejects.toThrow(`: ${graph} of it, and offline mode is on`);
  });

  it('goes on with the cache when the hub is down', async () => {
    const folder = await obtain();
    hub.fault = () => ({ status: 503 });
    const warnings: string[] = [];
    expect(await obtain({}, { onWarning: (message) => warnings.push(message) })).toBe(folder);
    expect(warnings).toEqual([
      expect.stringContaining('attempts in a row. Going on with what is in the cache.'),
    ]);
  });

  it('tells that the hub can not be reached', async () => {
    const closed = await startHub();
    await closed.close();
    await expect(obtain({ hub: { endpoint: closed.endpoint } })).rejects.toThrow(
      /127\.0\.0\.1:\d+ can't be reached \(ECONNREFUSED\), after 3 attempts in a row\. Set HF_ENDPOINT to a mirror of .+, copy the model .+ to \/.+, or name a folder/,
    );
  });

  it('repairs a file that was cut short', async () => {
    const folder = await obtain();
    await writeFile(join(folder, 'config.json'), '{');
    await obtain();
    await expectSame(folder, 'config.json');
  });
});

describe('several at once', () => {
  it('share the work', async () => {
    const folders = await Promise.all([obtain(), obtain(), obtain()]);
    expect(new Set(folders).size).toBe(1);
    expect(filesIn(folders[0]!)).toEqual(needed);
    expect(downloaded()).toEqual(needed);
  });

  it('take over from one that has died', async () => {
    const folder = await obtain();
    const blob = filesIn(cacheFolder).find((path) => path.endsWith(hashOf(graph)))!;
    await rm(folder, { recursive: true });
    await rm(join(cacheFolder, blob));
    const lock = join(cacheFolder, '.locks', 'models--tiny--embed', `${hashOf(graph)}.slashv1.lock`);
    await writeFile(lock, JSON.stringify({ pid: 2 ** 22 + 1, host: hostname() }));
    await obtain();
    expect(filesIn(folder)).toEqual(needed);
    expect(existsSync(lock)).toBe(false);
  });
});
