import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { InferenceError } from '../../src/errors.ts';
import { remote } from '../../src/backends/remote.ts';
import { chat } from '../../src/categories/chat/settings.ts';
import { createInference } from '../../src/inference.ts';
import { createMetrics } from '../../src/create-metrics.ts';
import { chatBody } from '../server/support.ts';

const words = ['one', ' two', ' three', ' four', ' five'];
const messages = [{ role: 'user', content: 'Count.' }] as const;

/** A server of the wire format that can be killed and come back at the same address. */
class Engine {
  requests = 0;
  /** Answers whose first word has left. */
  readonly begun = new Set<ServerResponse>();
  mostAtOnce = 0;
  /** The status of its answers, where it isn't 200. */
  status = 200;
  #port = 0;
  #running = 0;
  #server: Server | undefined;

  get baseURL(): string {
    return `http://127.0.0.1:${this.#port}/v1`;
  }

  async start(): Promise<this> {
    const server = createServer((request, response) => {
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

  async #answer(response: ServerResponse): Promise<void> {
    this.requests++;
    if (this.status !== 200) return void response.writeHead(this.status).end('{"error":"broken"}');
    this.mostAtOnce = Math.max(this.mostAtOnce, ++this.#running);
    response.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
    for (const [index, content] of [...words, ''].entries()) {
      await pause(15);
      if (response.destroyed) break;
      const finish_reason = index === words.length ? 'stop' : null;
      response.write(
        `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`,
      );
      this.begun.add(response);
    }
    this.#running--;
    this.begun.delete(response);
    response.end('data: [DONE]\n\n');
  }
}

async function startEngines(count: number): Promise<Engine[]> {
  const engines = await Promise.all(Array.from({ length: count }, () => new Engine().start()));
  onTestFinished(async () => {
    for (const engine of engines) await engine.kill();
  });
  return engines;
}

function open(engines: readonly Engine[], limits: readonly number[] = []) {
  const upstreams = engines.map(({ baseURL }, index) => ({ baseURL, maxConcurrent: limits[index] ?? 8 }));
  const inference = createInference({
    models: { it: chat({ source: 'm', backend: remote.openai({ upstreams }), maxQueue: 1000 }) },
  });
  onTestFinished(() => inference.close({ graceMs: 0 }));
  const ask = async () => {
    let text = '';
    try {
      for await (const event of inference.chat({ model: 'it', messages }))
        if (event.type === 'text-delta') text += event.text;
      return { text };
    } catch (error) {
      return { text, error: error as InferenceError };
    }
  };
  const healthOf = () => inference.status()[0]!.upstreams!.map(({ isHealthy }) => isHealthy);
  return { inference, ask, healthOf };
}

describe('several upstreams for one model', () => {
  it('share the work: the least busy one takes the next', async () => {
    const engines = await startEngines(3);
    const { ask, inference } = open(engines, [2, 2, 4]);
    await inference.ready();
    const answers = await Promise.all(Array.from({ length: 8 }, ask));
    expect(answers.every(({ text }) => text === words.join(''))).toBe(true);
    expect(engines.map(({ requests }) => requests)).toEqual([2, 2, 4]);
    await Promise.all(Array.from({ length: 24 }, ask));
    expect(engines.map(({ mostAtOnce }) => mostAtOnce)).toEqual([2, 2, 4]);
  });

  it('lose, where one is killed under load, only its streams past the first word', async () => {
    const engines = await startEngines(3);
    const { ask, inference, healthOf } = open(engines);
    await inference.ready();
    const whole = words.join('');
    const over = new AbortController();
    const failed: { text: string }[] = [];
    let done = 0;
    const client = async (): Promise<void> => {
      while (!over.signal.aborted && failed.length < 50) {
        const answer = await ask();
        if (answer.error) failed.push(answer);
        else if (answer.text === whole) done++;
      }
    };
    const clients = Array.from({ length: 12 }, client);
    const killed = engines[1]!;
    await expect.poll(() => killed.begun.size, { interval: 5 }).toBeGreaterThan(1);
    const begun = killed.begun.size;
    await killed.kill();
    await expect.poll(healthOf, { interval: 10 }).toEqual([true, false, true]);
    await pause(300);
    expect(failed.every(({ text }) => text !== '' && text !== whole)).toBe(true);
    // A word may have left between the count and the kill.
    expect(failed.length).toBeGreaterThan(0);
    expect(failed.length).toBeLessThanOrEqual(begun + 4);
    const lost = failed.length;
    await killed.start();
    const before = killed.requests;
    await expect.poll(healthOf, { interval: 10 }).toEqual([true, true, true]);
    await expect.poll(() => killed.requests).toBeGreaterThan(before);
    over.abort();
    await Promise.all(clients);
    expect(failed).toHaveLength(lost);
    expect(done).toBeGreaterThan(20);
  });

  it('answer for one that fails every request, which rests', async () => {
    const engines = await startEngines(2);
    engines[0]!.status = 500;
    const { ask, inference, healthOf } = open(engines);
    await inference.ready();
    for (let request = 0; request < 5; request++) expect(await ask()).toEqual({ text: words.join('') });
    expect(engines[0]!.requests).toBe(3);
    expect(healthOf()[0]).toBe(false);
    engines[0]!.status = 200;
    await expect.poll(healthOf).toEqual([true, true]);
  });

  it("are not asked again about a caller's fault", async () => {
    const engines = await startEngines(2);
    for (const engine of engines) engine.status = 400;
    const { ask, inference } = open(engines);
    await inference.ready();
    expect((await ask()).error).toMatchObject({ code: 'invalid_request' });
    expect(engines[0]!.requests + engines[1]!.requests).toBe(1);
  });

  it('that are all away fail the request, and are used as soon as one is back', async () => {
    const engines = await startEngines(2);
    const { ask, inference } = open(engines);
    await inference.ready();
    for (const engine of engines) await engine.kill();
    expect((await ask()).error).toMatchObject({ code: 'worker_failed' });
    await engines[1]!.start();
    await expect.poll(async () => (await ask()).text).toBe(words.join(''));
  });

  it('stand in status and metrics', async () => {
    const engines = await startEngines(2);
    const { ask, inference } = open(engines);
    const { observer, handler } = createMetrics();
    inference.observe(observer);
    await inference.ready();
    await engines[0]!.kill();
    await expect
      .poll(async () => (await ask()).text === '' || inference.status()[0]!.upstreams![0]!.isHealthy)
      .toBe(false);
    const [away, there] = inference.status()[0]!.upstreams!;
    expect(away).toEqual({
      url: engines[0]!.baseURL,
      isHealthy: false,
      running: 0,
      failures: expect.any(Number),
    });
    expect(there).toMatchObject({ isHealthy: true, failures: 0 });
    const { body } = await handler({
      method: 'GET',
      url: '/',
      headers: {},
      body: { parsed: chatBody() },
      signal: new AbortController().signal,
    });
    expect(body).toContain(`slashv1_upstream_healthy{model="it",upstream="${engines[0]!.baseURL}"} 0`);
    expect(body).toContain(`slashv1_upstream_healthy{model="it",upstream="${engines[1]!.baseURL}"} 1`);
  });

  it('are addresses, in place of one', () => {
    const baseURL = 'http://127.0.0.1:9/v1';
    expect(() => remote.openai({ baseURL, upstreams: [{ baseURL }] })).toThrow(
      /upstreams: expected no `baseURL`/,
    );
    expect(() => remote.openai({ upstreams: [{ baseURL: 'gpu-1' }] })).toThrow(
      /upstreams\[0\]\.baseURL: expected/,
    );
    expect(() => remote.openai({})).toThrow(/baseURL: expected/);
  });
});
