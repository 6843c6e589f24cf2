import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type RequestHandler } from 'express';
import Fastify from 'fastify';
import { Hono } from 'hono';
import { requestId } from 'hono/request-id';
import { describe, expect, it, onTestFinished, vi } from 'vitest';

import { toExpress } from '../../dist/adapters/express.js';
import { toFastify } from '../../dist/adapters/fastify.js';
import { toFetch } from '../../dist/adapters/fetch.js';
import { createHandler } from '../../dist/src/entries/server.js';
import { createFakeInference } from '../../dist/src/entries/testing.js';
import type { ObservedRequest } from '../../src/contracts/observer.ts';

/** A handler whose runs fail, and everything that was told about its requests. */
function failing() {
  const inference = createFakeInference({
    reply: () => {
      throw new Error('fault of the test');
    },
  });
  const onError = vi.fn();
  const lines: object[] = [];
  const log = (fields: object): void => void lines.push(fields);
  const logger = { debug: log, info: log, warn: log, error: log };
  const onRequestEnd = vi.fn<(request: ObservedRequest) => void>();
  const handler = createHandler(inference, { auth: 'none', onError, logger, observers: [{ onRequestEnd }] });
  const told = async (response: Response) => {
    const { error } = (await response.json()) as { error: { message: string } };
    await vi.waitFor(() => expect(onRequestEnd).toHaveBeenCalled());
    return {
      header: response.headers.get('x-request-id'),
      body: /Request id: (\S+)\.$/.exec(error.message)?.[1],
      onError: onError.mock.lastCall?.[1].requestId as string,
      observer: onRequestEnd.mock.lastCall?.[0].requestId,
      lines: new Set(lines.filter((line) => 'requestId' in line).map((line) => line.requestId)),
    };
  };
  return { handler, told };
}

const ask = (origin: string, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(`${origin}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] }),
  });

const everywhere = (id: unknown) => ({
  header: id,
  body: id,
  onError: id,
  observer: id,
  lines: new Set([id]),
});
const fresh = expect.stringMatching(/^req_[0-9a-f]{32}$/);
const client = { 'x-request-id': 'of-client' };

/** As `pino-http` does. */
const named =
  (id: unknown): RequestHandler =>
  (request, _response, next) => {
    Object.assign(request, { id });
    next();
  };
const answered =
  (id: string | readonly string[]): RequestHandler =>
  (_request, response, next) => {
    response.setHeader('x-request-id', id as string);
    next();
  };

describe('express', () => {
  it.each<[string, RequestHandler[], Record<string, string>, unknown]>([
    ['none', [], {}, fresh],
    ["the client's", [], client, 'of-client'],
    ["the host's name", [named('of-host')], client, 'of-host'],
    ["the host's count", [named(7)], {}, '7'],
    ["the host's count and the client's", [named(7)], client, 'of-client'],
    ["the host's header", [answered('of-response'), named('of-host')], client, 'of-response'],
    ["the host's header as a list", [answered(['of-response'])], client, 'of-response'],
    ['a name with a line break', [named('a\nb')], client, 'of-client'],
    ['a name of another type', [named({ id: 'a' })], {}, fresh],
    ['a name that is too long', [named('a'.repeat(129))], {}, fresh],
  ])('%s', async (_title, before, headers, expected) => {
    const { handler, told } = failing();
    const app = express();
    for (const each of before) app.use(each);
    const server = createServer(app.use(toExpress(handler))).listen(0, '127.0.0.1');
    onTestFinished(() => void server.close());
    await new Promise((resolve) => server.once('listening', resolve));
    const response = await ask(`http://127.0.0.1:${(server.address() as AddressInfo).port}`, headers);
    expect(await told(response)).toEqual(everywhere(expected));
  });
});

describe('fastify', () => {
  it.each([
    ["fastify's count", {}, {}, 'req-1'],
    ["fastify's count and the client's", {}, client, 'of-client'],
    ['genReqId', { genReqId: () => 'of-host' }, client, 'of-host'],
    ['requestIdHeader', { requestIdHeader: 'x-request-id' }, client, 'of-client'],
  ])('%s', async (_title, options, headers, expected) => {
    const { handler, told } = failing();
    const lines: string[] = [];
    const app = Fastify({
      ...options,
      logger: { stream: { write: (line: string) => void lines.push(line) } },
    });
    onTestFinished(() => app.close());
    app.register(toFastify(handler));
    const origin = await app.listen({ port: 0, host: '127.0.0.1' });
    expect(await told(await ask(origin, headers))).toEqual(everywhere(expected));
    if (expected !== 'of-client')
      expect(lines.some((line) => line.includes(`"reqId":"${expected}"`))).toBe(true);
  });

  it('a header that the host has set', async () => {
    const { handler, told } = failing();
    const app = Fastify();
    onTestFinished(() => app.close());
    app.addHook('onRequest', async (_request, reply) => void reply.header('x-request-id', 'of-response'));
    app.register(toFastify(handler));
    expect(await told(await ask(await app.listen({ port: 0, host: '127.0.0.1' }), client))).toEqual(
      everywhere('of-response'),
    );
  });
});

describe('fetch', () => {
  it('an id that the host passes on', async () => {
    const { handler, told } = failing();
    const answer = toFetch(handler);
    const app = new Hono<{ Variables: { requestId: string } }>();
    app.use(requestId({ generator: () => 'of-hono' }));
    app.all('/v1/*', (context) => answer(context.req.raw, { requestId: context.get('requestId') }));
    const body = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] });
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body };
    expect(await told(await app.request('/v1/chat/completions', init))).toEqual(everywhere('of-hono'));
  });

  it('what a framework passes to its functions is no id', async () => {
    const { handler, told } = failing();
    const body = JSON.stringify({ model: 'fake-chat', messages: [{ role: 'user', content: 'Hi' }] });
    const request = new Request('http://host/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const context = { params: { path: ['chat'] } };
    expect(await told(await toFetch(handler)(request, context))).toEqual(everywhere(fresh));
  });
});
