import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { obtainModel, type ModelRequest } from '../../src/loading/files.ts';
import { locateModel } from '../../src/folder/source.ts';
import { address, filesIn, listen, readFolder, send, stop } from './hub-server.ts';

let server: Server;
let base: string;
let cacheFolder: string;
let files = new Map<string, Uint8Array>();
let requests: {
  method: string;
  path: string;
  range: string | undefined;
  ifRange: string | undefined;
  authorization: string | undefined;
}[] = [];
let etag: string | undefined = '"1"';
/** Whether it answers like storage that may not be listed. */
let forbids = false;
/** Bytes after which the connection breaks, once. */
let cutAfterBytes: number | undefined;

beforeAll(async () => {
  server = createServer((request, response) => {
    const { method, url, headers } = request;
    const path = url!.replace(/^\/models\/mine\//, '');
    const { range, authorization } = headers;
    requests.push({ method: method!, path, range, ifRange: headers['if-range'] as string, authorization });
    const content = files.get(path);
    if (!content && forbids) return void response.writeHead(403).end();
    if (!content) return void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>not here</p>');
    const cuts = method === 'GET' && path.endsWith('.onnx') && cutAfterBytes !== undefined;
    send({ method: method!, range, ifRange: headers['if-range'] as string }, response, {
      content,
      headers: etag === undefined ? {} : { etag },
      ...(cuts ? { fault: { cutAfterBytes: cutAfterBytes! } } : {}),
    });
    if (cuts) cutAfterBytes = undefined;
  });
  await listen(server);
  base = `${address(server)}/models/mine`;
});
afterAll(() => stop(server));
beforeEach(async () => {
  cacheFolder = await mkdtemp(join(tmpdir(), 'slashv1-url-'));
  requests = [];
  etag = '"1"';
  forbids = false;
});
afterEach(() => rm(cacheFolder, { recursive: true, force: true }));

async function obtain(request: Omit<ModelRequest, 'source' | 'hub'>, offline = false): Promise<string> {
  const hub = { cacheFolder, offline, token: 'hf_secret', endpoint: 'http://hub.invalid' };
  const retry = { minDelayMs: 1, attempts: 2 };
  return (await obtainModel({ ...request, source: base, hub }, { retry })).source;
}

const downloaded = () => requests.filter(({ method }) => method === 'GET').map(({ path }) => path);

it('finds the files of a plain server, which gets no token', async () => {
  files = readFolder(locateModel('tiny-speech'));
  const folder = await obtain({ category: 'speech' });
  expect(filesIn(folder)).toEqual(
    [...files.keys()]
      .filter((path) => /^(config\.json|onnx\/model\.onnx|voices\/\w+\.bin)$/.test(path))
      .sort(),
  );
  expect(new Set(requests.map(({ authorization }) => authorization))).toEqual(new Set([undefined]));

  requests = [];
  expect(await obtain({ category: 'speech' })).toBe(folder);
  expect(downloaded()).toEqual([]);
  requests = [];
  expect(await obtain({ category: 'speech' }, true)).toBe(folder);
  expect(requests).toEqual([]);
});

it('takes new files under the tags of the server', async () => {
  files = new Map([
    ['config.json', Buffer.from('{}')],
    ['onnx/model.onnx', Buffer.from('old')],
  ]);
  const before = await obtain({ category: 'detection' });
  files.set('onnx/model.onnx', Buffer.from('new'));
  etag = '"2"';
  requests = [];
  const after = await obtain({ category: 'detection' });
  expect(after).not.toBe(before);
  expect(downloaded().sort()).toEqual(['config.json', 'onnx/model.onnx']);
});

it('finds weights beside graphs', async () => {
  files = new Map(
    ['config.json', 'onnx/model_q4.onnx', 'onnx/model_q4.onnx_data', 'onnx/model_q4.onnx_data_1'].map(
      (path) => [path, Buffer.from(path)],
    ),
  );
  expect(filesIn(await obtain({ category: 'chat', dtype: 'q4' }))).toEqual([...files.keys()]);
});

it.each([
  ['a tag, on which it goes on', '"1"', /^bytes=[1-9]\d*-$/],
  ['no tag, from which it begins anew', undefined, /^none$/],
])('survives a broken connection with %s', async (_title, tag, range) => {
  etag = tag;
  files = new Map([['onnx/model.onnx', Buffer.alloc(200_000, 'weights')]]);
  cutAfterBytes = 100_000;
  const folder = await obtain({ category: 'detection' });
  expect(filesIn(folder)).toEqual(['onnx/model.onnx']);
  const [first, second] = requests.filter(({ method }) => method === 'GET');
  expect(first!.range).toBeUndefined();
  expect(second!.range ?? 'none').toMatch(range);
  expect(second!.ifRange).toBe(tag);
});

it('finds the files of storage that forbids what it does not have', async () => {
  forbids = true;
  files = new Map([['onnx/model.onnx', Buffer.from('weights')]]);
  expect(filesIn(await obtain({ category: 'detection' }))).toEqual(['onnx/model.onnx']);
  files = new Map();
  await expect(obtain({ category: 'detection' })).rejects.toThrow(
    /127\.0\.0\.1:\d+ answers with status 403 for "http:/,
  );
});

it('says what is missing', async () => {
  files = new Map();
  await expect(obtain({ category: 'chat' })).rejects.toThrow(
    `none of onnx/model.onnx, onnx/decoder_model_merged.onnx, model.onnx, decoder_model_merged.onnx exists in "${base}/"`,
  );
});
