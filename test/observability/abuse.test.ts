import { once } from 'node:events';
import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toNodeListener } from '../../dist/adapters/node.js';
import type { RunEnd } from '../../src/contracts/observer.ts';
import { createMetrics } from '../../src/create-metrics.ts';
import { createTelemetry } from '../../src/observability/telemetry.ts';
import { createHandler } from '../../src/create-handler.ts';
import type { Observer, RequestEnd } from '../../src/contracts/observer.ts';
import { chatBody, send } from '../server/support.ts';
import { parseText, valueOf } from './prometheus-text.ts';
import { createInference, until } from './support.ts';
import { runs } from '../thorough.ts';

describe('clients that make names up', () => {
  it('add no series', async () => {
    const metrics = createMetrics();
    const handler = createHandler(createInference(), { auth: 'none', observers: [metrics.observer] });
    const sendAll = async (index: number): Promise<void> => {
      const name = `made-up-${index}`;
      const headers = { 'x-request-id': name };
      await send(handler, { json: chatBody({ model: name }), headers });
      await send(handler, { url: `/v1/${name}`, headers });
      await send(handler, { url: '/v1/models', method: `M${index}` });
      await send(handler, { url: `/v1/models/${name}/parameters` });
      await send(handler, { json: chatBody({ [name]: 1 }) });
      await send(handler, { json: chatBody({ user: name }) });
    };
    await sendAll(0);
    const before = parseText(await metrics.register.metrics()).length;
    for (let index = 1; index < 50; index += 1) await sendAll(index);
    const after = await metrics.register.metrics();
    expect(parseText(after)).toHaveLength(before);
    expect(after).not.toContain('made-up');
  });
});

describe('ids of requests', () => {
  it('are sane in all that is told, whatever a client sends', async () => {
    const told: (string | undefined)[] = [];
    const observer: Observer = {
      onRequestStart: ({ requestId }) => void told.push(requestId),
      onRunStart: ({ origin }) => void told.push(origin?.requestId),
      onRequestEnd: ({ requestId }) => void told.push(requestId),
    };
    const handler = createHandler(createInference(), { auth: 'none', observers: [observer] });
    const bytes = fc.uint8Array({ maxLength: 150 }).map((given) => Buffer.from(given).toString('latin1'));
    await fc.assert(
      fc.asyncProperty(fc.oneof(bytes, fc.uuid()), async (id) => {
        told.length = 0;
        const { headers } = await send(handler, { json: chatBody(), headers: { 'x-request-id': id } });
        expect(told).toEqual(Array.from({ length: 3 }, () => headers['x-request-id']));
        expect(told[0]).toMatch(/^[\w.-]{1,128}$/);
      }),
      { numRuns: runs(60) },
    );
  });
});

describe('observers that ask the inference themselves', () => {
  it('are told of that as well, and nothing runs in a circle', async () => {
    const inference = createInference();
    const ends: string[] = [];
    const observer: Observer = {
      async onRunEnd({ model }) {
        ends.push(model);
        if (ends.length < 3) await inference.embed({ model: 'fake-embedder', input: 'x' });
      },
    };
    const handler = createHandler(inference, { auth: 'none', observers: [observer] });
    expect((await send(handler, { json: chatBody() })).status).toBe(200);
    await until(() => ends.length === 3);
    expect(ends).toEqual(['fake-chat', 'fake-embedder', 'fake-embedder']);
  });
});

describe('clients that go at any time', () => {
  const metrics = createMetrics();
  const ends: { request: RequestEnd[]; run: RunEnd[] } = { request: [], run: [] };
  const inference = createInference({ reply: { text: 'word '.repeat(10), promptDelayMs: 3, delayMs: 2 } });
  const server = createServer(
    toNodeListener(
      createHandler(inference, {
        auth: 'none',
        logger: { debug() {}, info() {}, warn() {}, error() {} },
        observers: [
          metrics.observer,
          createTelemetry({ captureContent: true }),
          {
            onRequestEnd: (_, end) => void ends.request.push(end),
            onRunEnd: (_, end) => void ends.run.push(end),
          },
        ],
      }),
    ),
  );
  beforeAll(() => once(server.listen(0, '127.0.0.1'), 'listening'));
  afterAll(() => server.close());

  /** Goes after so many milliseconds, with the first bytes, or when it has the whole answer. */
  async function sendAndGo(stream: boolean, when: number | 'first-bytes' | 'end'): Promise<void> {
    const { port } = server.address() as AddressInfo;
    const sent = httpRequest({
      port,
      host: '127.0.0.1',
      path: '/v1/chat/completions',
      method: 'POST',
      headers: { 'content-type': 'application/json' },
    });
    sent.on('error', () => {});
    sent.end(JSON.stringify(chatBody({ stream })));
    if (typeof when === 'number') {
      await wait(when);
    } else {
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      let bytes = 0;
      for await (const piece of response as AsyncIterable<Buffer>) {
        bytes += piece.byteLength;
        if (when === 'first-bytes') break;
      }
      expect(bytes).toBeGreaterThan(0);
    }
    sent.destroy();
  }

  it('leave nothing open, and every end is told once', async () => {
    const begun = vi.fn();
    const leave = inference.observe!({ onRunStart: begun });
    for (let round = 0; round < 10; round += 1) {
      const times = Array.from({ length: 8 }, (_, index) => index * round * 2);
      const moments = [...times, 'first-bytes', 'end'] as const;
      await Promise.all(moments.flatMap((when) => [sendAndGo(true, when), sendAndGo(false, when)]));
    }
    await until(() => inference.running === 0);
    await wait(20);
    leave();
    const samples = parseText(await metrics.register.metrics());
    expect(valueOf(samples, 'slashv1_http_requests_in_flight')).toBe(0);
    const total = samples
      .filter(({ name }) => name === 'slashv1_http_requests_total')
      .reduce((sum, { value }) => sum + value, 0);
    expect(total).toBe(ends.request.length);
    expect(ends.run).toHaveLength(begun.mock.calls.length);
    const left = ends.request.filter(({ status, error }) => status === 200 && error?.code === 'cancelled');
    expect(left.length).toBeGreaterThan(10);
    const outcomes = new Set(ends.run.map(({ error }) => error?.code ?? 'done'));
    expect([...outcomes].toSorted()).toEqual(['cancelled', 'done']);
  });
});
