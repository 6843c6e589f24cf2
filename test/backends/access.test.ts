import { context, propagation, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';
import { readFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { expect, it, onTestFinished, vi } from 'vitest';
import { chat, createInference, embedding, remote } from '../../dist/src/index.js';
import { createTelemetry } from '../../dist/src/entries/telemetry.js';
import type { InferenceOptions } from '../../dist/src/inference.js';
import { senderTo } from '../../src/backends/access.ts';
import type { ApiServer } from '../../src/backends/openai/server.ts';
import { startTinyGraphs } from '../deploy/graphs.ts';
import { scriptedServer } from './scripted-server.ts';

const answer =
  'data: {"choices":[{"index":0,"delta":{"content":"Hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
const request = { model: 'chatter', messages: [{ role: 'user', content: 'Hello' }] } as const;

function open(server: Omit<ApiServer, 'kind'>, options: Partial<InferenceOptions> = {}) {
  const backend = remote.openai(server);
  const models = { chatter: chat({ source: 'far', contextLength: 99, backend }) };
  const inference = createInference({ models, ...options });
  onTestFinished(() => inference.close());
  return inference;
}

async function textOf(
  events: AsyncIterable<{ readonly type: string; readonly text?: string }>,
): Promise<string> {
  let text = '';
  for await (const event of events) if (event.type === 'text-delta') text += event.text;
  return text;
}

async function farServer() {
  const { origin, asked } = await scriptedServer((_asked, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer);
  });
  return { baseURL: `${origin}/v1`, asked };
}

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;

it('a request id and a trace go on to the other server, and nothing else of the caller', async () => {
  const { baseURL, asked } = await farServer();
  const carrier = { traceparent, tracestate: 'a=1', authorization: 'Bearer secret', cookie: 'b=2' };
  await textOf(open({ baseURL }).chat(request, { origin: { requestId: 'job-17', carrier } }));
  expect(asked.at(-1)!.headers).toMatchObject({ 'x-request-id': 'job-17', traceparent, tracestate: 'a=1' });
  expect(asked.at(-1)!.headers).not.toHaveProperty('authorization');
  expect(asked.at(-1)!.headers).not.toHaveProperty('cookie');
});

it.each([
  [{ requestId: 'a\r\nx-evil: 1' }, {}],
  [{ requestId: 'ü' }, {}],
  [{ requestId: 'a', carrier: { traceparent: 'nonsense', tracestate: 'a=1' } }, { 'x-request-id': 'a' }],
  [
    { requestId: 'a', carrier: { traceparent: `00-${'0'.repeat(32)}-${'b'.repeat(16)}-01` } },
    { 'x-request-id': 'a' },
  ],
  [{ requestId: 'a', carrier: { traceparent: [traceparent, traceparent] } }, { 'x-request-id': 'a' }],
  [
    { requestId: 'a', carrier: { traceparent, tracestate: 'é' } },
    { 'x-request-id': 'a', traceparent },
  ],
])('of %j goes on %j', async (origin, expected) => {
  const { baseURL, asked } = await farServer();
  await textOf(open({ baseURL }).chat(request, { origin }));
  const { headers } = asked.at(-1)!;
  const names = ['x-request-id', 'traceparent', 'tracestate', 'x-evil'].filter((name) => name in headers);
  expect(Object.fromEntries(names.map((name) => [name, headers[name]]))).toEqual(expected);
});

it('with telemetry the span of the run is the parent over there', async () => {
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator({
    inject(of, carrier) {
      const { traceId, spanId } = trace.getSpanContext(of)!;
      (carrier as Record<string, string>)['traceparent'] = `00-${traceId}-${spanId}-01`;
    },
    extract: (base) =>
      trace.setSpanContext(base, { traceId: 'a'.repeat(32), spanId: 'b'.repeat(16), traceFlags: 1 }),
    fields: () => ['traceparent'],
  });
  onTestFinished(() => {
    for (const api of [context, propagation, trace]) api.disable();
  });
  const { baseURL, asked } = await farServer();
  const inference = open({ baseURL }, { observers: [createTelemetry()] });
  await textOf(inference.chat(request, { origin: { requestId: 'a', carrier: { traceparent } } }));
  const sent = asked.at(-1)!.headers['traceparent'] as string;
  expect(sent).toMatch(new RegExp(`^00-${'a'.repeat(32)}-[\\da-f]{16}-01$`));
  expect(sent).not.toBe(traceparent);
});

it('a function is asked for the key before every request', async () => {
  const { baseURL, asked } = await farServer();
  let turn = 0;
  const inference = open({ baseURL, apiKey: async () => `key-${++turn}` });
  await textOf(inference.chat(request));
  await textOf(inference.chat(request));
  const keys = asked.map(({ headers }) => headers['authorization']);
  expect(keys).toEqual(Array.from({ length: turn }, (_, index) => `Bearer key-${index + 1}`));
  expect(asked.filter(({ url }) => url.endsWith('/chat/completions'))).toHaveLength(2);
});

it(
  'a worker asks its host for the key of a graph server before every request',
  { timeout: 120_000 },
  async () => {
    const { url, folder, keys, close } = await startTinyGraphs();
    onTestFinished(close);
    let turn = 0;
    const upstreams = [{ url, apiKey: () => `key-${++turn}` }];
    const backend = remote.kserve({ upstreams, model: 'embedder' });
    const models = { embedder: embedding({ source: `${folder}/tiny-embed`, backend }) };
    const inference = createInference({ models });
    onTestFinished(() => inference.close());
    for (const input of ['a', 'b']) await inference.embed({ model: 'embedder', input });
    expect(turn).toBeGreaterThan(3);
    expect(keys).toEqual(Array.from({ length: turn }, (_, index) => `Bearer key-${index + 1}`));
  },
);

it.each([
  ['fails', () => Promise.reject(new Error('vault is sealed'))],
  ['gives nothing', () => ''],
  ['gives no text', () => 7 as never],
])('a request whose function for the key %s is sent nowhere', async (_how, apiKey) => {
  const { baseURL, asked } = await farServer();
  await expect(textOf(open({ baseURL, apiKey }).chat(request))).rejects.toMatchObject({
    code: 'worker_failed',
    message: 'There is no key for the remote server.',
  });
  expect(asked).toEqual([]);
});

it('a function for the key that never settles fails its request', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const server = { url: 'http://127.0.0.1:1', tls: undefined, headers: undefined, maxConcurrent: 1 };
  const failed = expect(
    senderTo({ ...server, apiKey: () => new Promise<string>(() => {}) }),
  ).rejects.toMatchObject({ code: 'worker_failed', message: 'There is no key for the remote server.' });
  await vi.advanceTimersByTimeAsync(30_000);
  await failed;
});

it('certificates open a server that asks for them', async () => {
  const pem = (name: string): string =>
    readFileSync(new URL(`../runtime/certificates/${name}`, import.meta.url), 'utf8');
  const ca = pem('authority.pem');
  const names: (string | string[] | undefined)[] = [];
  const listener: RequestListener = (incoming, response) => {
    names.push((incoming.socket as TLSSocket).getPeerCertificate().subject.CN);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer);
  };
  const settings = { cert: pem('server.pem'), key: pem('server.key'), ca, requestCert: true };
  const server = createServer(settings, listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const baseURL = `https://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
  const tls = { ca, cert: pem('client.pem'), key: pem('client.key') };
  expect(await textOf(open({ baseURL, tls }).chat(request))).toBe('Hi');
  expect([...new Set(names)]).toEqual(['client']);
  await expect(textOf(open({ baseURL, tls: { ca } }).chat(request))).rejects.toMatchObject({
    code: 'worker_failed',
  });
  await expect(textOf(open({ baseURL }).chat(request))).rejects.toMatchObject({ code: 'worker_failed' });
});

it.each([
  [{ tls: { cer: 'x' } }, /tls.*there is no setting cer\. Did you mean cert\?/],
  [{ apiKey: 7 }, /apiKey: expected a text or a function, got 7/],
])('refuses %j', (server, message) => {
  expect(() => open({ baseURL: 'http://far', ...(server as object) })).toThrow(message);
});
