import { once } from 'node:events';
import { connect, constants, createServer, type ClientHttp2Session, type Http2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { toNodeListener } from '../../adapters/node.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody } from '../server/support.ts';

const inference = createFakeInference({ reply: { text: 'word '.repeat(2000), delayMs: 5 } });
let server: Http2Server;
let session: ClientHttp2Session;

beforeAll(async () => {
  const handler = createHandler(inference, { auth: 'none', onError: () => {} });
  // The compatible requests and responses of HTTP/2 are those of HTTP/1 for a listener.
  server = createServer(toNodeListener(handler) as never);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  session.on('error', () => undefined);
});
afterAll(() => {
  session.destroy();
  server.close();
});

function ask(json: object | undefined, headers: Record<string, string> = {}) {
  const stream = session.request({
    ':method': json ? 'POST' : 'GET',
    ':path': '/v1/chat/completions',
    'content-type': 'application/json',
    ...headers,
  });
  stream.on('error', () => undefined);
  stream.end(json && JSON.stringify(json));
  return stream;
}

async function answerOf(stream: ReturnType<typeof ask>) {
  const [head] = (await once(stream, 'response')) as [Record<string, unknown>];
  let text = '';
  for await (const part of stream) text += String(part);
  return { status: head[':status'], head, text };
}

describe('over HTTP/2', () => {
  it('models are listed, and a request that is wrong is refused by name', async () => {
    const listed = await answerOf(ask(undefined, { ':path': '/v1/models' }));
    expect([listed.status, JSON.parse(listed.text).data[0].id]).toEqual([200, 'fake-chat']);
    const refused = await answerOf(ask(chatBody({ temperature: 9 })));
    expect([refused.status, JSON.parse(refused.text).error.param]).toEqual([400, 'temperature']);
  });

  it('a reset of a stream ends its run, and those of the others go on', async () => {
    const before = inference.cancelled;
    const [left, kept] = [ask(chatBody({ stream: true })), ask(chatBody({ stream: true, max_tokens: 20 }))];
    await Promise.all([once(left, 'data'), once(kept, 'response')]);
    left.close(constants.NGHTTP2_CANCEL);
    await vi.waitFor(() => expect(inference.cancelled).toBe(before + 1), 5000);
    let text = '';
    for await (const part of kept) text += String(part);
    expect(text).toMatch(/data: \[DONE\]\s*$/);
  });

  it('100 streams that are reset at once leave no run', async () => {
    const streams = Array.from({ length: 100 }, () => ask(chatBody({ stream: true })));
    for (const stream of streams) stream.close(constants.NGHTTP2_CANCEL);
    const { status } = await answerOf(ask(chatBody({ max_tokens: 3 })));
    expect(status).toBe(200);
    await vi.waitFor(() => expect(inference.running).toBe(0), 5000);
  });

  it('a session that goes away ends all its runs', async () => {
    const other = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
    other.on('error', () => undefined);
    const streams = [1, 2, 3].map(() => {
      const stream = other.request({
        ':method': 'POST',
        ':path': '/v1/chat/completions',
        'content-type': 'application/json',
      });
      stream.on('error', () => undefined);
      stream.end(JSON.stringify(chatBody({ stream: true })));
      return stream;
    });
    await Promise.all(streams.map((stream) => once(stream, 'data')));
    other.destroy();
    await vi.waitFor(() => expect(inference.running).toBe(0), 5000);
  });
});
