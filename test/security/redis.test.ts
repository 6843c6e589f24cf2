import { createServer, type Server, type Socket } from 'node:net';
import { Redis } from 'ioredis';
import { RateLimiterRedis } from 'rate-limiter-flexible';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import type { HandlerOptions } from '../../src/server/options.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, send } from '../server/support.ts';

/** Its answer to a command of the limiter; `undefined` for none at all. */
type Reply = (args: readonly string[]) => string | undefined;

/** Counts as the limiter's script does. */
function counting(): Reply {
  let consumed = 0;
  return ([, , , , points]) => `*2\r\n:${(consumed += Number(points))}\r\n:60000\r\n`;
}

/** A server of Redis's protocol that can be killed and started again on the same port. */
class FakeRedis {
  reply: Reply = counting();
  asked = 0;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  port = 0;

  async start(): Promise<void> {
    this.#server = createServer((socket) => {
      this.#sockets.add(socket);
      let text = '';
      socket.on('error', () => undefined);
      socket.on('data', (bytes) => {
        text += bytes.toString();
        for (let args = take(); args; args = take()) {
          const isLimiter = /^eval/i.test(args[0]!);
          if (isLimiter) this.asked++;
          const answer = isLimiter ? this.reply(args) : '+OK\r\n';
          if (answer !== undefined) socket.write(answer);
        }
      });
      /** The first whole command of the text. */
      function take(): string[] | undefined {
        const lines = text.split('\r\n');
        const count = Number(lines[0]?.slice(1));
        if (!(count > 0) || lines.length < 2 * count + 2) return undefined;
        text = lines.slice(2 * count + 1).join('\r\n');
        return lines.slice(1, 2 * count + 1).filter((_, index) => index % 2 === 1);
      }
    });
    await new Promise<void>((resolve) => this.#server!.listen(this.port, '127.0.0.1', resolve));
    this.port = (this.#server.address() as { port: number }).port;
  }

  async kill(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#sockets.clear();
    await new Promise((resolve) => this.#server?.close(resolve) ?? resolve(undefined));
    this.#server = undefined;
  }
}

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0)) await clean();
});

async function serve(options: Partial<HandlerOptions> = {}) {
  const redis = new FakeRedis();
  await redis.start();
  const client = new Redis({
    host: '127.0.0.1',
    port: redis.port,
    enableReadyCheck: false,
    enableOfflineQueue: false,
    retryStrategy: () => 20,
  });
  client.on('error', () => undefined);
  await new Promise<void>((resolve) => client.once('ready', resolve));
  cleanups.push(
    () => client.disconnect(),
    () => redis.kill(),
  );
  const onError = vi.fn();
  const handler = createHandler(createFakeInference(), {
    auth: { keys: [{ key: 'test-key', id: 'ann', plan: 'free' }] },
    plans: { free: { rateLimit: { requests: 3, perSeconds: 60 } } },
    limiter: (given) => new RateLimiterRedis({ storeClient: client, ...given }),
    limiterTimeoutMs: 100,
    onError,
    ...options,
  });
  const ask = async (): Promise<number> => (await send(handler, { json: chatBody() })).status;
  return { redis, ask, handler };
}

/** A store that failed is left alone for a second. */
const back = { timeout: 8000, interval: 100 };

describe('a Redis of limits', () => {
  it('counts', async () => {
    const { ask } = await serve();
    expect([await ask(), await ask(), await ask(), await ask()]).toEqual([200, 200, 200, 429]);
  });

  it('that dies and comes back: requests are refused meanwhile, and counted again afterwards', async () => {
    const { redis, ask } = await serve();
    // A machine that stands still for longer than the store's time is no fault.
    await vi.waitFor(async () => expect(await ask()).toBe(200), back);
    await redis.kill();
    expect([await ask(), await ask()]).toEqual([503, 503]);
    await redis.start();
    await vi.waitFor(async () => expect(await ask()).toBe(200), back);
    expect(redis.asked).toBeGreaterThanOrEqual(2);
  });

  it('that dies is not missed where limits are not all that counts', async () => {
    const { redis, ask } = await serve({ onLimiterFailure: 'admit' });
    await redis.kill();
    expect(await Promise.all(Array.from({ length: 8 }, ask))).toEqual(Array.from({ length: 8 }, () => 200));
  });

  it('that takes requests and never answers: one waits, the others are refused at once', async () => {
    const { redis, ask } = await serve();
    redis.reply = () => undefined;
    expect(await ask()).toBe(503);
    const asked = redis.asked;
    expect([await ask(), await ask()]).toEqual([503, 503]);
    expect(redis.asked).toBe(asked);
  });

  it.each([
    ['an error of a replica', '-READONLY You can not write against a read only replica.\r\n'],
    ['no memory', "-OOM command not allowed when used memory > 'maxmemory'.\r\n"],
    ['text for numbers', '*2\r\n+many\r\n+later\r\n'],
    ['nothing', '*-1\r\n'],
    ['no protocol', 'HTTP/1.1 400 Bad Request\r\n\r\n'],
  ])('that answers with %s ends no request with 500', async (_, answer) => {
    const { redis, ask } = await serve();
    redis.reply = () => answer;
    expect([200, 429, 503]).toContain(await ask());
    expect([200, 429, 503]).toContain(await ask());
  });
});
