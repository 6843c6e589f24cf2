import { createServer, type Server, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { onTestFinished } from 'vitest';

/** The answer to every request, one event each. */
export const words = ['one', ' two', ' three', ' four', ' five'];

/** Ways to fail of a server whose list of models is as ever, the last one aside. */
export const faults = [
  'answers 500',
  'answers 400',
  'answers 429',
  'hangs',
  'hangs after headers',
  'hangs after an empty piece',
  'sends garbage',
  'breaks off',
  'is slow',
  'is stopped',
] as const;

export type Fault = (typeof faults)[number];

const statuses: Readonly<Partial<Record<Fault, number>>> = {
  'answers 500': 500,
  'answers 400': 400,
  'answers 429': 429,
};

/** A server of the wire format that can be killed and come back at the same address. */
export class FakeEngine {
  requests = 0;
  /** Answers whose first word has left. */
  readonly begun = new Set<ServerResponse>();
  mostAtOnce = 0;
  fault: Fault | undefined;
  #port = 0;
  #running = 0;
  #server: Server | undefined;

  get baseURL(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
      if (this.fault === 'is stopped') return;
      if (request.url === '/v1/models') return void response.end('{"data":[{"id":"m"}]}');
      request.resume().on('end', () => void this.#answer(response));
    });
    this.#server = server;
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  async kill(): Promise<void> {
    const closed = new Promise((resolve) => this.#server?.close(resolve));
    this.#server?.closeAllConnections();
    await closed;
  }

  /** Kills it; connections to its port succeed all the same, and bring nothing. */
  async open(): Promise<void> {
    await this.kill();
    const sockets = new Set<Socket>();
    const server = createTcpServer((socket) => sockets.add(socket.on('error', () => {})));
    await new Promise<void>((resolve) => server.listen(this.#port, '127.0.0.1', resolve));
    onTestFinished(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
  }

  async #answer(response: ServerResponse): Promise<void> {
    this.requests++;
    const { fault } = this;
    const status = fault && statuses[fault];
    if (status) return void response.writeHead(status, { 'retry-after': '30' }).end('{"error":"broken"}');
    if (fault === 'hangs') return;
    if (fault === 'sends garbage') return void response.end('data: {"choices": [\n\n<html>');
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#running);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    if (fault === 'hangs after headers') return;
    if (fault === 'hangs after an empty piece') {
      response.write(`data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 2 } })}\n\n`);
      return;
    }
    for (const [index, content] of [...words, ''].entries()) {
      await pause(fault === 'is slow' ? 100 : 15);
      if (response.destroyed) break;
      if (fault === 'breaks off' && index === 2) break;
      const finish_reason = index === words.length ? 'stop' : null;
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`,
      );
      this.begun.add(response);
    }
    this.#running--;
    this.begun.delete(response);
    response.end(fault === 'breaks off' ? '' : 'data: [DONE]\n\n');
  }
}

/** As many servers, until the test ends. */
export async function startEngines(count: number): Promise<FakeEngine[]> {
  const engines = await Promise.all(Array.from({ length: count }, () => new FakeEngine().start()));
  onTestFinished(async () => {
    for (const engine of engines) await engine.kill();
  });
  return engines;
}
