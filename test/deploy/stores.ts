import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { RateLimiterMemory } from 'rate-limiter-flexible';

interface Question {
  readonly options: { readonly keyPrefix: string; readonly points: number; readonly duration: number };
  readonly method: 'consume' | 'penalty' | 'reward' | 'get';
  readonly key: string;
  readonly points?: number;
}

/** The other side of `http-limiter.js`. */
export async function startStore(): Promise<{ url: string; server: Server }> {
  const limiters = new Map<string, RateLimiterMemory>();
  const server = createServer(async (request, response) => {
    const { options, method, key, points } = (await json(request)) as Question;
    const { keyPrefix } = options;
    const limiter = limiters.get(keyPrefix) ?? new RateLimiterMemory(options);
    limiters.set(keyPrefix, limiter);
    const [status, state] = await limiter[method](key, points as never).then(
      (answer) => [200, answer] as const,
      (refusal: unknown) => [429, refusal as typeof RateLimiterMemory.prototype] as const,
    );
    response
      .writeHead(status)
      .end(JSON.stringify({ state: state && { ...(state as { toJSON(): object }).toJSON() } }));
  });
  return { url: await listen(server), server };
}

/** Pieces of an answer of the chat server, and the time between them. */
export const pieces = 6;
const pieceMs = 100;

/** A server of chat in the wire format: each answer has so many pieces. */
export async function startChatServer(): Promise<{ url: string; server: Server }> {
  const chunk = (delta: object, rest: object = {}): string =>
    `data: ${JSON.stringify({ id: 'a', object: 'chat.completion.chunk', created: 1, model: 'assistant', choices: [{ index: 0, delta, finish_reason: null, ...rest }] })}\n\n`;
  const server = createServer(async (request, response) => {
    request.resume();
    await once(request, 'end');
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let piece = 0; piece < pieces; piece++) {
      await delay(pieceMs);
      response.write(chunk({ content: `${piece} ` }));
    }
    response.end(`${chunk({}, { finish_reason: 'stop' })}data: [DONE]\n\n`);
  });
  return { url: `${await listen(server)}/v1`, server };
}

async function listen(server: Server): Promise<string> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
