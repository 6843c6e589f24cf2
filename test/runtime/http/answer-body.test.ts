import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createDecoder, readBytes, readText } from '../../../src/runtime/http/answer-body.ts';
import { fetchWith, type HttpRequest } from '../../../src/runtime/http/fetch-with-certificates.ts';

/** A server that counts its connections. */
async function serve(listener: RequestListener) {
  const server = createServer(listener).listen(0, '127.0.0.1');
  let connections = 0;
  server.on('connection', () => connections++);
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { connections: () => connections, ask: (init: HttpRequest = {}) => fetchWith(undefined)(url, init) };
}

describe('an answer over node:http', () => {
  it('is read to its end, with its status and headers', async () => {
    const { ask } = await serve((_, response) => response.writeHead(418, { 'x-kind': 'tea' }).end('short'));
    const answer = await ask();
    expect(answer).toMatchObject({ ok: false, status: 418 });
    expect(answer.headers.get('x-kind')).toBe('tea');
    expect(await readText(answer)).toBe('short');
  });

  it.each([
    ['gzip', gzipSync('packed')],
    ['deflate', deflateSync('packed')],
    ['br', brotliCompressSync('packed')],
    ['constructor', Buffer.from('packed')],
  ])('is unpacked where its encoding, %s, is known', async (encoding, bytes) => {
    const { ask } = await serve((_, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(bytes),
    );
    expect(await readText(await ask())).toBe('packed');
  });

  it('leaves its connection to the next one, also where the last bytes are not asked for', async () => {
    const { ask, connections } = await serve((_, response) => {
      response.write('first');
      response.end('last');
    });
    for (let times = 0; times < 3; times++) {
      for await (const bytes of readBytes(await ask())) {
        if (String(Buffer.from(bytes)).endsWith('last')) break;
      }
      // The connection is free a turn later.
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    expect(connections()).toBe(1);
  });

  it('ends over there when it is left, and with the reason of its signal', async () => {
    const ends: Promise<unknown>[] = [];
    const { ask } = await serve((_, response) => {
      ends.push(once(response, 'close'));
      response.write('never the last');
    });
    for await (const _ of readBytes(await ask())) break;
    await ends[0];
    const controller = new AbortController();
    const answer = await ask({ signal: controller.signal });
    const reading = readText(answer, { signal: controller.signal });
    setTimeout(() => controller.abort(new Error('enough')), 20);
    await expect(reading).rejects.toThrow('enough');
    await ends[1];
  });

  it('keeps what arrives before it is asked for', async () => {
    const piece = Buffer.alloc(2 ** 16, 'x');
    const { ask } = await serve((_, response) => {
      for (let times = 0; times < 64; times++) response.write(piece);
      response.end();
    });
    const pieces = readBytes(await ask());
    let received = (await pieces.next()).value?.byteLength ?? 0;
    await new Promise((resolve) => setTimeout(resolve, 50));
    for await (const { byteLength } of pieces) received += byteLength;
    expect(received).toBe(64 * piece.byteLength);
  });

  it('that breaks off is no whole answer', async () => {
    const { ask } = await serve((_, response) => {
      response.writeHead(200, { 'content-length': 100 }).write('part');
      setTimeout(() => response.destroy(), 20);
    });
    const answer = await ask();
    await expect(readText(answer)).rejects.toThrow();
  });
});

it('text in pieces keeps its characters, without a byte order mark', () => {
  const bytes = Buffer.from('\uFEFFein Stück für €5 \uFEFF');
  for (let size = 1; size <= bytes.length; size++) {
    const decode = createDecoder();
    let text = '';
    for (let at = 0; at < bytes.length; at += size) text += decode(bytes.subarray(at, at + size));
    expect(text).toBe('ein Stück für €5 \uFEFF');
  }
});
