import dns from 'node:dns';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { PassThrough, Transform } from 'node:stream';
import { text } from 'node:stream/consumers';

import express from 'express';
import Fastify from 'fastify';
import { describe, expect, onTestFinished, test, vi } from 'vitest';

import { toExpress } from '../../dist/adapters/express.js';
import { toFastify } from '../../dist/adapters/fastify.js';
import { toFetch } from '../../dist/adapters/fetch.js';
import { toNodeListener } from '../../dist/adapters/node.js';
import { createHandler } from '../../dist/src/entries/server.js';
import { createFakeInference } from '../../dist/src/entries/testing.js';
import type { ApiRequest, Handler } from '../../src/contracts/http.ts';
import type { Mount, Start } from './conformance.ts';
import { onExpress, onFastify, onNode } from './mounts.ts';
import { needs, otherSystem } from '../needs.ts';

const ok: Handler = async () => ({ status: 200, headers: { 'content-type': 'text/plain' }, body: 'handler' });

describe('express', () => {
  test.each(['/', '/v2', '/v1x', '/other/v1'])('at the root it leaves %s to the host', async (path) => {
    const { origin } = await started(
      onExpress('', undefined, (app, handler) => {
        app.use(toExpress(handler));
        app.use((_request, response) => void response.send('host'));
      }),
    );
    expect(await (await fetch(origin + path)).text()).toBe('host');
    expect(await (await fetch(`${origin}/v1`)).text()).toBe('handler');
    expect(await (await fetch(`${origin}/v1?a=b`)).text()).toBe('handler');
  });

  test.each([
    ['bytes', express.raw({ type: '*/*' }), Buffer.from('{}')],
    ['text', express.text({ type: '*/*' }), '{}'],
  ])('hands over what a host keeps as %s', async (_title, parser, expected) => {
    const { handler, seen } = recorder();
    const { origin } = await started(
      onExpress('', '/v1', (app) => app.use(parser).use('/v1', toExpress(handler))),
    );
    await fetch(`${origin}/v1/a`, { method: 'POST', body: '{}' });
    expect(seen[0]!.body).toEqual({ parsed: expected });
  });

  const form = () => {
    const body = new FormData();
    body.append('file', new Blob(['abc']));
    return { method: 'POST', body };
  };
  const listening = createHandler(
    createFakeInference({
      models: [{ id: 'ears', category: 'transcription' }],
      transcript: ({ audio }) => readFileSync((audio as { path: string }).path, 'utf8'),
    }),
    { auth: 'none' },
  );

  test('a form that the host keeps as bytes is read', async () => {
    const { origin } = await started(
      onExpress('', '/v1', (app) =>
        app.use(express.raw({ type: 'multipart/form-data' })).use('/v1', toExpress(listening)),
      ),
    );
    const response = await fetch(`${origin}/v1/audio/transcriptions`, form());
    expect(await response.json()).toMatchObject({ text: 'abc' });
  });

  test('a form that the host has read is refused with a hint', async () => {
    const { origin } = await started(
      onExpress('', '/v1', (app) => {
        app.use(async (request, _response, next) => {
          await text(request);
          request.body = { model: 'ears' };
          next();
        });
        app.use('/v1', toExpress(listening));
      }),
    );
    const response = await fetch(`${origin}/v1/audio/transcriptions`, form());
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { message: string } };
    expect(error.message).toContain('mount the API before it');
  });

  test('leaves a response alone that the host has sent meanwhile', async () => {
    let returned = 0;
    const handler: Handler = async () => {
      await new Promise(setImmediate);
      const over = { done: true as const, value: undefined };
      const next = async () => over;
      const body = {
        [Symbol.asyncIterator]: () => ({
          next,
          return: async () => {
            returned++;
            return over;
          },
        }),
      };
      return { status: 200, headers: {}, body };
    };
    const { origin } = await started(
      onExpress('', '/v1', (app) => {
        app.use((_request, response, next) => {
          next();
          response.status(503).send('host');
        });
        app.use('/v1', toExpress(handler));
      }),
    );
    expect((await fetch(`${origin}/v1/a`)).status).toBe(503);
    await vi.waitFor(() => expect(returned).toBe(1));
  });
});

describe('fastify', () => {
  test("the host's routes keep their parsers, and its hooks see our answers", async () => {
    const sent: string[] = [];
    const { origin } = await started(
      onFastify('', '/v1', (app, handler) => {
        app.addHook('onSend', async (request, reply) => {
          sent.push(request.url);
          reply.header('x-host', 'seen');
        });
        app.register(toFastify(handler), { prefix: '/v1' });
        app.post('/host', (request, reply) => reply.send({ body: request.body }));
      }),
    );
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"a":1}' };
    expect(await (await fetch(`${origin}/host`, init)).json()).toEqual({ body: { a: 1 } });
    expect((await fetch(`${origin}/v1/a`, init)).headers.get('x-host')).toBe('seen');
    expect((await fetch(`${origin}/elsewhere`)).status).toBe(404);
    expect(sent).toEqual(['/host', '/v1/a', '/elsewhere']);
  });

  test('a prefix may hold parameters', async () => {
    const { handler, seen } = recorder();
    const { origin } = await started(
      onFastify('', undefined, (app) => app.register(toFastify(handler), { prefix: '/:tenant/v1' })),
    );
    await fetch(`${origin}/some%20one/v1/models?a=/b`);
    expect(seen[0]).toMatchObject({ url: '/some%20one/v1/models?a=/b', mountPath: '/some%20one/v1' });
  });

  // Of two addresses of `localhost`, the second one has a server of its own; Linux has all of 127.0.0.0/8.
  describe('at localhost', needs(otherSystem('linux')), () => {
    const upgrade = async (host: string, takesUpgrades: boolean): Promise<string> => {
      vi.spyOn(dns, 'lookup').mockImplementation(((...args: unknown[]) => {
        const done = args.at(-1) as (...values: unknown[]) => void;
        const found = args[0] === 'localhost' ? ['127.0.0.1', '127.0.0.2'] : [args[0]];
        const addresses = found.map((address) => ({ address, family: 4 }));
        if ((args[1] as { all?: boolean }).all) done(null, addresses);
        else done(null, found[0], 4);
      }) as never);
      onTestFinished(() => void vi.restoreAllMocks());
      const app = Fastify({ forceCloseConnections: true });
      onTestFinished(() => app.close());
      for (const prefix of ['/v1', '/v2']) app.register(toFastify(ok), { prefix });
      if (takesUpgrades) app.server.on('upgrade', (_request, socket: Socket) => void socket.end('taken'));
      await app.listen({ host: 'localhost', port: 0 });
      const { port } = app.server.address() as AddressInfo;
      const socket = connect(port, host);
      socket.write(
        'GET /v1/models HTTP/1.1\r\nhost: a\r\nconnection: upgrade, close\r\nupgrade: websocket\r\n\r\n',
      );
      return text(socket);
    };

    test.each([
      ['127.0.0.1', false, /^HTTP\/1.1 200 OK\r\n.*\r\nhandler$/s],
      ['127.0.0.2', false, /^HTTP\/1.1 400 Bad Request\r\n.*invalid_request.*\}$/s],
      ['127.0.0.1', true, /^taken$/],
      ['127.0.0.2', true, /^taken$/],
    ])(
      'no upgrade is left unanswered: %s, where the host takes upgrades: %s',
      async (host, takes, answer) => {
        expect(await upgrade(host, takes)).toMatch(answer);
      },
    );
  });

  test('a body that a preParsing hook unwraps reaches the handler unwrapped', async () => {
    const { origin } = await started(
      onFastify('', '/v1', (app) => {
        app.addHook('preParsing', (_request, _reply, payload, done) =>
          done(null, payload.pipe(new Transform({ transform: upperCase }))),
        );
        app.register(toFastify(echo), { prefix: '/v1' });
      }),
    );
    const response = await fetch(`${origin}/v1/a`, { method: 'POST', body: 'abc' });
    expect(await response.text()).toBe('ABC');
  });
});

describe('node', () => {
  test.each([0, 1])(
    'an answer to an endless upload is sent, and then the connection ends (%i read)',
    async (reads) => {
      const { origin } = await started(onNode(''), async ({ body }) => {
        const pieces = (body as AsyncIterable<Uint8Array>)[Symbol.asyncIterator]();
        for (let read = 0; read < reads; read++) await pieces.next();
        return { status: 413, headers: {}, body: 'too large' };
      });
      const upload = httpRequest(`${origin}/v1/a`, { method: 'POST' });
      const piece = Buffer.alloc(256 * 1024);
      let sentPieces = 0;
      const closed = new Promise<void>((resolve) => upload.on('close', resolve));
      upload.on('error', () => undefined);
      const write = () => {
        sentPieces++;
        upload.write(piece, (error) => (error ? undefined : write()));
      };
      write();
      const [response] = (await once(upload, 'response')) as [IncomingMessage];
      expect([response.statusCode, await text(response)]).toEqual([413, 'too large']);
      await closed;
      expect(sentPieces * piece.length).toBeGreaterThan(32 * 1024 * 1024);
      expect(sentPieces * piece.length).toBeLessThan(64 * 1024 * 1024);
    },
  );

  test.each<[string, Start]>([
    ['node', onNode('')],
    [
      'fastify with a preParsing hook',
      onFastify('', '/v1', (app, handler) => {
        app.addHook('preParsing', (_request, _reply, payload, done) =>
          done(null, payload.pipe(new PassThrough())),
        );
        app.register(toFastify(handler), { prefix: '/v1' });
      }),
    ],
  ])('%s: a connection is used again after uploads that were not read', async (_title, start) => {
    const read: Record<string, (body: AsyncIterable<Uint8Array>) => Promise<unknown>> = {
      '/v1/unread': async () => undefined,
      '/v1/broken-off': async (body) => {
        for await (const bytes of body) if (bytes.byteLength > 0) break;
      },
      '/v1/abandoned': (body) => body[Symbol.asyncIterator]().next(),
    };
    const { origin } = await started(start, async ({ body, url }) => {
      await read[url]!(body as AsyncIterable<Uint8Array>);
      return { status: 200, headers: {}, body: `answer to ${url}.` };
    });
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    const size = 1024 * 1024;
    const paths = [...Object.keys(read), '/v1/unread'];
    for (const path of paths) {
      socket.write(`POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\n`);
      socket.write(Buffer.alloc(size));
      expect(await untilReceived(socket, 'answer to')).toContain(path);
    }
  });

  test('a response that the host ends amid a stream ends the stream, also before its turn to be sent', async () => {
    let returned = 0;
    let end = (): void => undefined;
    let answerFirst = (): void => undefined;
    const { origin } = await started(
      onExpress('', '/v1', (app, handler) => {
        app.use((_request, response, next) => {
          end = () => void response.end();
          next();
        });
        app.use('/v1', toExpress(handler));
      }),
      async ({ url }) => {
        if (url === '/v1/first') {
          await new Promise<void>((resolve) => (answerFirst = resolve));
          return { status: 200, headers: {}, body: 'first' };
        }
        async function* pieces() {
          try {
            yield 'second';
            end();
            for (;;) yield 'more';
          } finally {
            returned++;
          }
        }
        return { status: 200, headers: {}, body: pieces() };
      },
    );
    const socket = connect(Number(new URL(origin).port), '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /v1/first HTTP/1.1\r\nhost: a\r\n\r\nGET /v1/second HTTP/1.1\r\nhost: a\r\n\r\n');
    await vi.waitFor(() => expect(returned).toBe(1));
    answerFirst();
    expect(await untilReceived(socket, 'second')).toContain('first');
  });

  test('a client that was gone before the handler was asked is gone for the handler', async () => {
    const { handler, seen } = recorder();
    const client = new AbortController();
    const { origin } = await started(
      onExpress('', '/v1', (app) => {
        app.use((_request, response, next) => {
          response.on('close', () => setImmediate(next));
          client.abort();
        });
        app.use('/v1', toExpress(handler));
      }),
    );
    await expect(fetch(`${origin}/v1/a`, { signal: client.signal })).rejects.toThrow();
    await vi.waitFor(() => expect(seen[0]?.signal.aborted).toBe(true));
  });

  test('http2: whole, streamed, and broken off', async () => {
    const seen: AbortSignal[] = [];
    let returned = 0;
    const server = createHttp2Server(
      toNodeListener(async ({ url, signal, body }) => {
        seen.push(signal);
        const bytes: Uint8Array[] = [];
        for await (const each of body as AsyncIterable<Uint8Array>) bytes.push(each);
        if (url === '/whole') return { status: 200, headers: {}, body: Buffer.concat(bytes) };
        async function* pieces() {
          try {
            yield 'a';
            yield 'b';
            if (url === '/endless') await new Promise((resolve) => signal.addEventListener('abort', resolve));
          } finally {
            returned++;
          }
        }
        return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: pieces() };
      }),
    ).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const client = connectHttp2(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    onTestFinished(() => {
      client.destroy();
      server.close();
    });
    const post = (path: string) => client.request({ ':method': 'POST', ':path': path }).end('abc');

    expect(await text(post('/whole'))).toBe('abc');
    expect(await text(post('/stream'))).toBe('ab');
    const endless = post('/endless');
    await once(endless, 'data');
    endless.close(8);
    await vi.waitFor(() => expect(returned).toBe(2));
    expect(seen.map((signal) => signal.aborted)).toEqual([false, false, true]);
  });
});

describe('fetch', () => {
  const streaming = () => {
    const state = { returned: 0, signal: new AbortController().signal };
    const answer = toFetch(async ({ signal }) => {
      state.signal = signal;
      async function* pieces() {
        try {
          yield 'a';
          yield 'b';
        } finally {
          state.returned++;
        }
      }
      return { status: 200, headers: {}, body: pieces() };
    });
    return { state, answer };
  };

  test('a body that its host cancels aborts the signal and returns the producer', async () => {
    const { state, answer } = streaming();
    const reader = (await answer(new Request('http://localhost/v1/a'))).body!.getReader();
    await reader.read();
    await reader.cancel();
    expect([state.signal.aborted, state.returned]).toEqual([true, 1]);
  });

  test('what happens to a request after its answer is no departure', async () => {
    const { state, answer } = streaming();
    const client = new AbortController();
    const response = await answer(new Request('http://localhost/v1/a', { signal: client.signal }));
    expect(await response.text()).toBe('ab');
    client.abort();
    expect(state.signal.aborted).toBe(false);
  });

  test('a body that the host has read already is not waited for', async () => {
    const { handler, seen } = recorder();
    const request = new Request('http://localhost/v1/a', { method: 'POST', body: '{}' });
    await request.text();
    expect((await toFetch(handler)(request)).status).toBe(200);
    expect(seen[0]!.body).toEqual({ parsed: undefined });
  });
});

test.each(['v1', '/v1/', '', '/a//b', '/v1?a'])('a mount path of "%s" is refused', (mountPath) => {
  expect(() => toNodeListener(ok, { mountPath })).toThrow(TypeError);
  expect(() => toFetch(ok, { mountPath })).toThrow(/^mountPath: expected/);
});

async function started(start: Start, handler: Handler = ok): Promise<Mount & { origin: string }> {
  const mount = await start(handler);
  onTestFinished(() => mount.close());
  return { ...mount, origin: new URL(mount.baseUrl).origin };
}

function recorder(): { handler: Handler; seen: ApiRequest[] } {
  const seen: ApiRequest[] = [];
  return {
    seen,
    handler: (request) => {
      seen.push(request);
      return ok(request);
    },
  };
}

const echo: Handler = async ({ body }) => {
  const bytes: Uint8Array[] = [];
  for await (const each of body as AsyncIterable<Uint8Array>) bytes.push(each);
  return { status: 200, headers: {}, body: Buffer.concat(bytes) };
};

function upperCase(chunk: Buffer, _encoding: string, done: (error: null, chunk: string) => void): void {
  done(null, chunk.toString().toUpperCase());
}

function untilReceived(socket: Socket, end: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = '';
    const read = (chunk: Buffer) => {
      received += chunk.toString();
      if (!received.includes(end)) return;
      socket.off('data', read);
      resolve(received);
    };
    socket.on('data', read).once('error', reject);
  });
}
