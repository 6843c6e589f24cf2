import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** What a request was. */
export interface Asked {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export type Answer = (asked: Asked, response: ServerResponse) => void | Promise<void>;

/** A server on this machine that answers by script until the test ends; its origin and what it was asked. */
export async function scriptedServer(answer: Answer): Promise<{ origin: string; asked: Asked[] }> {
  const asked: Asked[] = [];
  const server = createServer(async (request, response) => {
    const parts: Buffer[] = [];
    for await (const part of request) parts.push(part as Buffer);
    const one = { url: request.url!, headers: request.headers, body: Buffer.concat(parts) };
    asked.push(one);
    await answer(one, response);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

/** Answers with JSON. */
export function json(response: ServerResponse, body: unknown, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}
