import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import { readText } from '../../src/runtime/http/answer-body.ts';
import { fetchWith } from '../../src/runtime/http/fetch-with-certificates.ts';
import { sendAgain } from '../../src/runtime/http/fetch-failures.ts';

/** Ends each connection, without an answer, at the request of that number on it. */
async function serverThatCloses(how: 'destroy' | 'resetAndDestroy', at: number) {
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    let requests = 0;
    sockets.add(socket.on('error', () => {}));
    socket.on('data', (bytes) => {
      const body = String(bytes).split('\r\n\r\n')[1];
      if (!body) return;
      bodies.push(body);
      if (++requests === at) socket[how]();
      else socket.write('HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  const post = async (body: string): Promise<string> => {
    const response = await sendAgain(() => fetchWith(undefined)(url, { method: 'POST', body }));
    const text = await readText(response);
    // The connection is free for the next one a turn later.
    await pause(20);
    return text;
  };
  return { post, bodies };
}

describe('a connection that was kept open', () => {
  it.each(['destroy', 'resetAndDestroy'] as const)(
    'and ends as the next request leaves costs nothing (%s)',
    async (how) => {
      const { post, bodies } = await serverThatCloses(how, 2);
      expect([await post('a'), await post('b')]).toEqual(['ok', 'ok']);
      expect(bodies).toEqual(['a', 'b', 'b']);
    },
  );
});

describe('a connection that was closed', () => {
  it.each([
    ['after answers, like those beside it', true, 8],
    ['before any answer', false, 0],
  ])('%s, is tried again', async (_name, wasKeptOpen, most) => {
    for (const faults of [most, most + 1]) {
      let left = faults;
      const sent = sendAgain(async () => {
        const cause = Object.assign(new Error('socket hang up'), { code: 'ECONNRESET', wasKeptOpen });
        if (left-- > 0) throw new TypeError('fetch failed', { cause });
        return 'ok';
      });
      if (faults > most) await expect(sent).rejects.toThrow('fetch failed');
      else expect(await sent).toBe('ok');
    }
  });
});

describe('a new connection', () => {
  it.each(['destroy', 'resetAndDestroy'] as const)('that ends fails its request (%s)', async (how) => {
    const { post, bodies } = await serverThatCloses(how, 1);
    await expect(post('a')).rejects.toThrow('fetch failed');
    expect(bodies).toEqual(['a']);
  });
});
