import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it } from 'vitest';
import { toNodeListener } from '../../adapters/node.ts';
import { createDeferred } from '../../src/concurrency/deferred.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { ApiResponse, Handler } from '../../src/contracts/http.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { sentForm } from './forms.ts';
import { chatBody, chunksOf, expectError, send, toRequest, type Answer, type Sent } from './support.ts';

/** A service of one request for each key at once, whose detections end when the test says so. */
function serve() {
  const gate = createDeferred();
  const inference = createFakeInference({
    models: ['fake-chat', { id: 'fake-detect', category: 'detection' }],
    reply: 'one two three',
    async detections() {
      await gate.promise;
      return { detections: [], image: { width: 1, height: 1 } };
    },
  });
  const handler = createHandler(inference, {
    auth: {
      keys: [
        { key: 'a', plan: 'single' },
        { key: 'b1', id: 'b', plan: 'single' },
        { key: 'b2', id: 'b', plan: 'single' },
        { key: 'c', plan: 'scarce' },
        'free',
      ],
    },
    plans: {
      single: { maxConcurrent: 1 },
      scarce: { maxConcurrent: 1, rateLimit: { requests: 1, perSeconds: 60 } },
    },
    onError: () => {},
  });
  return { handler, gate };
}

const by = (key: string, sent: Sent = { json: chatBody() }): Sent => ({
  ...sent,
  headers: { ...sent.headers, authorization: `Bearer ${key}` },
});
const ask = (handler: Handler, key = 'a'): Promise<Answer> => send(handler, by(key));
const detect = (handler: Handler, key = 'a'): Promise<Answer> =>
  send(handler, by(key, { url: '/v1/detect', json: { image: 'aGVsbG8=' } }));
const stream = (handler: Handler, sent: Sent = {}): Promise<ApiResponse> =>
  handler(toRequest(by('a', { json: chatBody({ stream: true }), ...sent })));

async function drain({ body }: ApiResponse): Promise<void> {
  for await (const _ of body as AsyncIterable<unknown>);
}

it('refuses a request of a key that has as many under way, with 429 and `Retry-After`', async () => {
  const { handler, gate } = serve();
  const first = detect(handler);
  const refused = await ask(handler);
  expectError(refused, 429, 'rate_limit_exceeded');
  expect(refused.headers['retry-after']).toBe('1');
  expect((await ask(handler, 'free')).status).toBe(200);
  gate.resolve();
  expect((await first).status).toBe(200);
  expect((await ask(handler)).status).toBe(200);
});

it('counts the keys of one id together', async () => {
  const { handler, gate } = serve();
  const first = detect(handler, 'b1');
  expect((await ask(handler, 'b2')).status).toBe(429);
  expect((await ask(handler, 'a')).status).toBe(200);
  gate.resolve();
  await first;
  expect((await ask(handler, 'b2')).status).toBe(200);
});

it('a stream is under way until its end', async () => {
  const { handler } = serve();
  const response = await stream(handler);
  expect((await ask(handler)).status).toBe(429);
  await drain(response);
  expect((await ask(handler)).status).toBe(200);
});

it('a stream that is left is over', async () => {
  const { handler } = serve();
  const { body } = await stream(handler);
  const pieces = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
  await pieces.next();
  await pieces.return!();
  expect((await ask(handler)).status).toBe(200);
});

it('a client that is gone has nothing under way, also where nobody reads its stream', async () => {
  const { handler } = serve();
  const controller = new AbortController();
  await stream(handler, { signal: controller.signal });
  controller.abort();
  expect((await ask(handler)).status).toBe(200);
});

it('refused requests and bodies hold no place', async () => {
  const { handler } = serve();
  const refused: [Sent, number][] = [
    [{ text: '{' }, 400],
    [{ json: chatBody({ temperature: 'hot' }) }, 400],
    [{ json: chatBody({ model: 'none' }) }, 404],
    [{ json: chatBody(), headers: { 'x-request-timeout': 'soon' } }, 400],
    [{ json: chatBody(), headers: { 'content-type': 'text/plain' } }, 415],
    [sentForm('no form'), 400],
  ];
  for (const [sent, status] of refused) expect((await send(handler, by('a', sent))).status).toBe(status);
  expect((await ask(handler)).status).toBe(200);
});

it('a refusal by the rate limit holds no place, and one for too many at once takes nothing from it', async () => {
  const { handler, gate } = serve();
  const first = detect(handler, 'c');
  await Promise.resolve();
  expect((await ask(handler, 'c')).headers).not.toHaveProperty('x-ratelimit-limit-requests');
  gate.resolve();
  await first;
  for (let time = 0; time < 2; time++) {
    const { status, headers } = await ask(handler, 'c');
    expect([status, headers['x-ratelimit-limit-requests']]).toEqual([429, '1']);
  }
});

it('looking at models is no request under way', async () => {
  const { handler, gate } = serve();
  const first = detect(handler);
  const models = await send(handler, by('a', { url: '/v1/models', method: 'GET', body: chunksOf([]) }));
  expect(models.status).toBe(200);
  gate.resolve();
  await first;
});

it('over HTTP, a client that leaves gives its place back', async () => {
  const { handler } = serve();
  const server = createServer(toNodeListener(handler));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const post = (path: string, body: object, signal?: AbortSignal): Promise<Response> =>
    fetch(`http://127.0.0.1:${port}/v1/${path}`, {
      method: 'POST',
      headers: { authorization: 'Bearer a', 'content-type': 'application/json' },
      body: JSON.stringify(body),
      ...(signal && { signal }),
    });
  const status = async (): Promise<number> => (await post('chat/completions', chatBody())).status;
  try {
    const controller = new AbortController();
    const left = post('detect', { image: 'aGVsbG8=' }, controller.signal).catch(() => 'left');
    await expect.poll(status).toBe(429);
    controller.abort();
    expect(await left).toBe('left');
    await expect.poll(status).toBe(200);
  } finally {
    server.close();
  }
});

it.each([0, 1.5, -1])('expects at least 1, not %s', (maxConcurrent) => {
  const options = { auth: { keys: [{ key: 'a', plan: 'basic' }] }, plans: { basic: { maxConcurrent } } };
  expect(() => createHandler(createFakeInference(), options)).toThrow(
    `plans.basic.maxConcurrent: expected an integer of at least 1, got ${maxConcurrent}`,
  );
});
