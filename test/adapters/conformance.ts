import { createHash } from 'node:crypto';

import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import type { ApiRequest, ApiResponse, Handler } from '../../src/contracts/http.ts';
import { isThorough } from '../thorough.ts';
import { apiConformance, type Skips } from './api-conformance.ts';

/** A handler at its place in a host, as its clients see it. */
export interface Mount {
  /** The address up to and including `/v1`. */
  readonly baseUrl: string;
  /** What the handler is to be told about its place. */
  readonly mountPath?: string | undefined;
  readonly fetch: typeof fetch;
  close(): Promise<void>;
}

export type Start = (handler: Handler) => Promise<Mount>;

const mebibyte = 1024 * 1024;
const piece = new Uint8Array(64 * 1024).fill(1);

/** What every mount owes its handler and its clients, whatever the framework. */
export function conformance(name: string, start: Start, skip?: Skips): void {
  describe(name, () => {
    bridgeConformance(start);
    apiConformance(start, skip);
  });
}

/** For a further place in a host: the bridge, and in CI the API through it. */
export function conformanceElsewhere(name: string, start: Start, skip?: Skips): void {
  describe(name, () => {
    bridgeConformance(start);
    if (isThorough) apiConformance(start, skip);
  });
}

function bridgeConformance(start: Start): void {
  describe('the bridge', () => {
    let mount: Mount;
    let handler: Handler;
    const call = (init?: RequestInit, path = '/anything') => mount.fetch(mount.baseUrl + path, init);
    const upload = (body: unknown, init?: RequestInit) =>
      call({
        method: 'POST',
        headers: { 'content-type': 'application/octet-stream' },
        duplex: 'half',
        body,
        ...init,
      } as RequestInit);

    beforeAll(async () => {
      mount = await start((request) => handler(request));
    });
    afterAll(() => mount.close());
    afterEach(() => vi.restoreAllMocks());

    describe('request', () => {
      test('carries method, url, mount path and headers', async () => {
        handler = async ({ method, url, mountPath, headers }) =>
          json({ method, url, mountPath: mountPath ?? null, header: headers['x-some-header'] });
        const response = await call({ method: 'DELETE', headers: { 'X-Some-Header': 'a' } }, '/a%2Fb?c=d');
        expect(await response.json()).toEqual({
          method: 'DELETE',
          url: `${new URL(mount.baseUrl).pathname}/a%2Fb?c=d`,
          mountPath: mount.mountPath ?? null,
          header: 'a',
        });
      });

      test('carries JSON, parsed or not', async () => {
        handler = async (request) => json(await jsonOf(request));
        const response = await call({
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"text":"grün"}',
        });
        expect(await response.json()).toEqual({ text: 'grün' });
      });

      test.each(['GET', 'POST', 'DELETE'])('%s without a body has an empty one', async (method) => {
        handler = async (request) => json((await bytesOf(request)).byteLength);
        expect(await (await call({ method })).json()).toBe(0);
      });

      test.each([0, 1, 2 * mebibyte])('an upload of %i bytes arrives whole', async (size) => {
        handler = async (request) => text(sha256(await bytesOf(request)));
        const bytes = Uint8Array.from({ length: size }, (_, index) => (index * 31) % 251);
        expect(await (await upload(bytes)).text()).toBe(sha256(bytes));
      });

      test('an upload waits for a handler that does not read on', async () => {
        const readOn = deferred();
        handler = async (request) => {
          let received = 0;
          for await (const bytes of rawBytes(request)) {
            if (received === 0) await readOn.promise;
            received += bytes.byteLength;
          }
          return json(received);
        };
        const source = countingSource(48 * mebibyte);
        const response = upload(source.stream);
        expect(await settled(source.sentBytes)).toBeLessThan(24 * mebibyte);
        readOn.resolve();
        expect(await (await response).json()).toBe(48 * mebibyte);
      });

      test('an upload that its client breaks off fails in the handler', async () => {
        const arrived = deferred();
        const failed = deferred<unknown>();
        handler = async (request) => {
          const reading = (async () => {
            for await (const bytes of rawBytes(request)) if (bytes.byteLength > 0) arrived.resolve();
          })();
          await reading.then(() => failed.resolve('whole'), failed.resolve);
          return text('');
        };
        const broken = new ReadableStream({
          start: (source) => source.enqueue(piece),
          async pull(source) {
            await arrived.promise;
            source.error(new Error('The client stumbled.'));
          },
        });
        const response = upload(broken);
        void response.then(undefined, () => undefined);
        expect(await failed.promise).toBeInstanceOf(Error);
      });

      test.each([
        ['unread', 0],
        ['partly read', 1],
      ])('an answer reaches the client of an upload that is %s', async (_title, bytesToRead) => {
        handler = async (request) => {
          let received = 0;
          for await (const bytes of bytesToRead > 0 ? rawBytes(request) : []) {
            received += bytes.byteLength;
            if (received >= bytesToRead) break;
          }
          return { ...json({ error: 'too large' }), status: 413 };
        };
        for (let round = 0; round < 2; round++) {
          const response = await upload(new Uint8Array(20 * mebibyte));
          expect(response.status).toBe(413);
          expect(await response.json()).toEqual({ error: 'too large' });
        }
      });
    });

    describe('response', () => {
      test('text has its length in bytes', async () => {
        handler = async () => text('grün 🟢');
        const response = await call();
        expect(response.headers.get('content-length')).toBe('10');
        expect(await response.text()).toBe('grün 🟢');
      });

      test('bytes arrive whole', async () => {
        const bytes = Uint8Array.of(0, 255, 128, 10);
        handler = async () => ({ status: 201, headers: { 'content-type': 'audio/wav' }, body: bytes });
        const response = await call();
        expect(response.status).toBe(201);
        expect(response.headers.get('content-type')).toBe('audio/wav');
        expect(new Uint8Array(await response.arrayBuffer())).toEqual(bytes);
      });

      test('a view into a larger buffer is sent alone', async () => {
        handler = async () => ({
          status: 200,
          headers: {},
          body: new Uint8Array([1, 2, 3, 4]).subarray(1, 3),
        });
        expect(new Uint8Array(await (await call()).arrayBuffer())).toEqual(Uint8Array.of(2, 3));
      });

      test('two cookies stay two', async () => {
        handler = async () => ({ status: 200, headers: { 'set-cookie': ['a=1', 'b=2'] }, body: '' });
        expect((await call()).headers.getSetCookie()).toEqual(['a=1', 'b=2']);
      });

      test('204 has no body', async () => {
        handler = async () => ({ status: 204, headers: {}, body: '' });
        const response = await call();
        expect(response.status).toBe(204);
        expect(await response.text()).toBe('');
      });

      test('HEAD has the headers alone', async () => {
        handler = async () => text('grün');
        const response = await call({ method: 'HEAD' });
        expect(response.headers.get('content-length')).toBe('5');
        expect(await response.text()).toBe('');
      });

      test('HEAD keeps a length that the handler knows', async () => {
        handler = async () => ({ status: 200, headers: { 'content-length': '123' }, body: '' });
        const response = await call({ method: 'HEAD' });
        expect(response.headers.get('content-length')).toBe('123');
        expect(await response.text()).toBe('');
      });

      test('HEAD asks no producer for anything', async () => {
        const producer = countingProducer();
        handler = async () => stream(producer.body);
        const response = await call({ method: 'HEAD' });
        expect(response.status).toBe(200);
        expect(await response.text()).toBe('');
        expect([producer.produced(), producer.returned()]).toEqual([0, 1]);
      });

      test('pieces arrive in order', async () => {
        handler = async () =>
          stream(
            (async function* () {
              yield 'a';
              yield '';
              yield Uint8Array.of(98);
              for (let index = 0; index < 300; index++) yield `${index},`;
            })(),
          );
        expect(await (await call()).text()).toBe(
          `ab${Array.from({ length: 300 }, (_, i) => `${i},`).join('')}`,
        );
      });

      test('headers leave before the first piece, and each piece before the next', async () => {
        const first = deferred();
        const second = deferred();
        handler = async () =>
          stream(
            (async function* () {
              await first.promise;
              yield 'first';
              await second.promise;
              yield 'second';
            })(),
          );
        const response = await call();
        expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
        first.resolve();
        const pieces = piecesOf(response);
        expect(await pieces.next()).toMatchObject({ value: 'first' });
        second.resolve();
        expect(await pieces.next()).toMatchObject({ value: 'second' });
        expect(await pieces.next()).toMatchObject({ done: true });
      });

      test('a producer waits for a client that does not read on', async () => {
        const producer = countingProducer(piece);
        handler = async () => stream(producer.body);
        const client = new AbortController();
        const response = await call({ signal: client.signal });
        const pieces = piecesOf(response);
        await pieces.next();
        expect((await settled(producer.produced)) * piece.byteLength).toBeLessThan(24 * mebibyte);
        client.abort();
        await vi.waitFor(() => expect(producer.returned()).toBe(1));
        await expect(drain(pieces)).rejects.toThrow();
      });
    });

    describe('departure', () => {
      test('a client that leaves a stream aborts the signal and returns the producer', async () => {
        const producer = countingProducer('piece', 2);
        let signal: AbortSignal | undefined;
        handler = async (request) => {
          ({ signal } = request);
          return stream(producer.body);
        };
        const client = new AbortController();
        const response = await call({ signal: client.signal });
        const pieces = piecesOf(response);
        await pieces.next();
        expect(signal?.aborted).toBe(false);
        client.abort();
        await expect(drain(pieces)).rejects.toThrow();
        await vi.waitFor(() => expect([signal?.aborted, producer.returned()]).toEqual([true, 1]));
        expect(producer.produced()).toBeLessThanOrEqual(2);
      });

      test('a client that leaves an endless stream stops it within a step', async () => {
        let gone = false;
        let produced = 0;
        const stepsAfterwards = deferred<number>();
        handler = async (request) => {
          request.signal.addEventListener('abort', () => {
            gone = true;
            produced = 0;
          });
          return stream(
            (async function* () {
              try {
                for (;;) {
                  await new Promise(setImmediate);
                  produced++;
                  yield 'piece';
                }
              } finally {
                stepsAfterwards.resolve(gone ? produced : Infinity);
              }
            })(),
          );
        };
        const client = new AbortController();
        const pieces = piecesOf(await call({ signal: client.signal }));
        await pieces.next();
        client.abort();
        await expect(drain(pieces)).rejects.toThrow();
        expect(await stepsAfterwards.promise).toBeLessThanOrEqual(1);
      });

      test('a client that leaves before the answer aborts the signal, and its stream is returned', async () => {
        const producer = countingProducer();
        const arrived = deferred();
        let signal: AbortSignal | undefined;
        handler = async (request) => {
          ({ signal } = request);
          arrived.resolve();
          await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
          return stream(producer.body);
        };
        const client = new AbortController();
        const response = call({ method: 'POST', signal: client.signal });
        void response.then(undefined, () => undefined);
        await arrived.promise;
        client.abort();
        await vi.waitFor(() => expect([signal?.aborted, producer.returned()]).toEqual([true, 1]));
        expect(producer.produced()).toBeLessThanOrEqual(1);
      });

      test.each(['whole', 'streamed'])('a %s answer that arrived aborts nothing', async (kind) => {
        const signals: AbortSignal[] = [];
        let returned = 0;
        handler = async (request) => {
          signals.push(request.signal);
          if (kind === 'whole') return text('done');
          let left = 3;
          return stream({
            [Symbol.asyncIterator]: () => ({
              next: async () => (left-- > 0 ? { value: 'piece' } : { done: true, value: undefined }),
              return: async () => {
                returned++;
                return { done: true, value: undefined };
              },
            }),
          });
        };
        for (let round = 0; round < 3; round++) await (await call()).text();
        expect(signals.map((signal) => signal.aborted)).toEqual([false, false, false]);
        expect(returned).toBe(0);
      });
    });

    describe('faults', () => {
      test('a stream that fails breaks off, and the host lives', async () => {
        vi.spyOn(console, 'error').mockReturnValue();
        handler = async () =>
          stream(
            (async function* () {
              yield 'first';
              throw new Error('secret');
            })(),
          );
        const pieces = piecesOf(await call());
        await expect(drain(pieces)).rejects.toThrow();
        handler = async () => text('alive');
        expect(await (await call()).text()).toBe('alive');
      });

      test.each<[string, Handler]>([
        ['rejects', () => Promise.reject(new Error('secret'))],
        [
          'throws',
          () => {
            throw new Error('secret');
          },
        ],
        [
          'answers with an impossible header',
          async () => ({ ...text('a'), headers: { 'x-a': 'secret\nsecret' } }),
        ],
        [
          'streams with an impossible header',
          async () => ({ ...stream(countingProducer().body), headers: { 'x-a': 'secret\nsecret' } }),
        ],
      ])('a handler that %s is a 500 that tells nothing', async (_title, faulty) => {
        const logged = vi.spyOn(console, 'error').mockReturnValue();
        handler = faulty;
        const response = await call();
        expect(response.status).toBe(500);
        const requestId = response.headers.get('x-request-id');
        expect(requestId).toMatch(/^req_[0-9a-f]{32}$/);
        expect(await response.json()).toEqual({
          error: {
            message: `Internal error. Request id: ${requestId}.`,
            type: 'server_error',
            param: null,
            code: 'internal_error',
          },
        });
        expect(logged).toHaveBeenCalledOnce();
      });
    });
  });
}

function json(value: unknown): ApiResponse {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: JSON.stringify(value) };
}

function text(body: string): ApiResponse {
  return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
}

function stream(body: AsyncIterable<string | Uint8Array>): ApiResponse {
  return { status: 200, headers: { 'content-type': 'text/event-stream; charset=utf-8' }, body };
}

function rawBytes({ body }: ApiRequest): AsyncIterable<Uint8Array> {
  if ('parsed' in body) throw new Error('expected a raw body');
  return body;
}

async function bytesOf(request: ApiRequest): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const bytes of rawBytes(request)) pieces.push(bytes);
  return Buffer.concat(pieces);
}

async function jsonOf(request: ApiRequest): Promise<unknown> {
  return 'parsed' in request.body ? request.body.parsed : JSON.parse((await bytesOf(request)).toString());
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** A body that counts what was asked of it: all the same piece, at most `limit` of them until it is returned. */
function countingProducer(value: string | Uint8Array = 'piece', limit = Infinity) {
  let produced = 0;
  let returned = 0;
  const stopped = deferred();
  const iterator: AsyncIterator<string | Uint8Array, undefined> = {
    async next() {
      // Like a real producer, it leaves the event loop a turn.
      await (produced < limit ? new Promise(setImmediate) : stopped.promise);
      if (returned > 0) return { done: true, value: undefined };
      produced++;
      return { value };
    },
    async return() {
      returned++;
      stopped.resolve();
      return { done: true, value: undefined };
    },
  };
  return {
    body: { [Symbol.asyncIterator]: () => iterator },
    produced: () => produced,
    returned: () => returned,
  };
}

/** An upload that counts what was taken from it. */
function countingSource(totalBytes: number) {
  let sent = 0;
  const source = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        controller.enqueue(piece);
        sent += piece.byteLength;
        if (sent >= totalBytes) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  return { stream: source, sentBytes: () => sent };
}

async function* piecesOf(response: Response): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const bytes of response.body ?? []) yield decoder.decode(bytes as Uint8Array);
}

async function drain(pieces: AsyncIterable<unknown>): Promise<void> {
  const iterator = pieces[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}

/** Waits until a counter that grew has stopped growing. */
async function settled(read: () => number): Promise<number> {
  let last = -1;
  for (let unchanged = 0; unchanged < 12;) {
    const now = read();
    unchanged = now === last && now > 0 ? unchanged + 1 : 0;
    last = now;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return last;
}

function deferred<T = void>(): { promise: Promise<T>; resolve: (value: T) => void } {
  let resolve!: (value: T) => void;
  const promise = new Promise<T>((fulfil) => (resolve = fulfil));
  onTestFinished(() => resolve(undefined as T));
  return { promise, resolve };
}
