import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createHandler, createInference, embedding, type Inference } from '../../dist/src/index.js';
import { toNodeListener } from '../../dist/adapters/node.js';
import { eventually } from '../engine/processes.ts';
import { openaiEmbeddings } from './openai-embeddings.ts';
import { within } from '../tolerance.ts';

// The whole way: HTTP, handler, engine, a worker process and the bundled model.
const key = 'sk-of-a-test';
let inference: Inference;
let server: Server;
let origin: string;

beforeAll(async () => {
  inference = createInference({ models: { 'tiny-embed': embedding({ source: 'tiny-embed' }) } });
  server = createServer(toNodeListener(createHandler(inference, { auth: { keys: [key] } })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await inference.ready();
}, 120_000);

afterAll(async () => {
  await inference.close();
  server.closeAllConnections();
  server.close();
});

interface Answer {
  readonly data: { readonly index: number; readonly embedding: number[] }[];
  readonly usage: { readonly prompt_tokens: number };
}

function ask(body: object, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(`${origin}/v1/embeddings`, { method: 'POST', headers, body: JSON.stringify(body), ...init });
}

async function vectorsOf(body: object): Promise<number[][]> {
  const response = await ask(body);
  expect(response.status).toBe(200);
  return ((await response.json()) as Answer).data.map((entry) => entry.embedding);
}

describe('POST /v1/embeddings', () => {
  it('answers without a model', async () => {
    const response = await ask({ input: ['a red circle', 'A circle that is red.'] });
    expect(await response.json()).toMatchObject({
      model: 'tiny-embed',
      data: [{ index: 0 }, { index: 1 }],
      usage: { prompt_tokens: 13, total_tokens: 13 },
    });
  });

  it('gives 32 clients at once what each gets alone', async () => {
    const texts = Array.from({ length: 32 }, (_, index) => `${index} ${'blue squares '.repeat(index % 6)}`);
    const alone: number[][] = [];
    for (const input of texts) alone.push((await vectorsOf({ input }))[0]!);
    const together = await Promise.all(texts.map((input) => vectorsOf({ input })));
    together.forEach(([vector], index) =>
      vector!.forEach((value, at) => expect(Math.abs(value - alone[index]![at]!)).toBeLessThan(within(1e-5))),
    );
  });

  it('answers a short request while one of 2,048 texts runs', async () => {
    const order: string[] = [];
    const long = vectorsOf({
      input: Array.from({ length: 2048 }, () => 'a text of many words '.repeat(6)),
    }).then((vectors) => {
      order.push('long');
      return vectors;
    });
    await eventually(() => expect(inference.status()[0]!.running).toBe(1));
    await vectorsOf({ input: 'hello' });
    order.push('short');
    expect(await long).toHaveLength(2048);
    expect(order).toEqual(['short', 'long']);
  }, 120_000);

  it('stops when the client goes', async () => {
    const client = new AbortController();
    const response = ask(
      { input: Array.from({ length: 2048 }, () => 'a text of many words '.repeat(6)) },
      { signal: client.signal },
    );
    await eventually(() => expect(inference.status()[0]!.running).toBe(1));
    client.abort();
    await expect(response).rejects.toThrow();
    await eventually(() => expect(inference.status()).toMatchObject([{ running: 0, state: 'ready' }]));
  });

  it.each([
    [{ input: ['a', 'b '.repeat(300)] }, 'context_length_exceeded', 'input[1]'],
    [{ input: 'a', dimensions: 100 }, 'invalid_request', 'dimensions'],
    [{ input: 'a', prompt_name: 'nope' }, 'invalid_request', 'prompt_name'],
    [{ input: [5, 6] }, 'invalid_request', 'input'],
    [{ input: [[5, 6]] }, 'invalid_request', 'input'],
  ])('refuses %.60j', async (body, code, param) => {
    const response = await ask(body);
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({ error: { code, param } });
  });

  it('has parameters that act', async () => {
    const [whole] = await vectorsOf({ input: 'a red circle' });
    expect((await vectorsOf({ input: 'a red circle', dimensions: 64 }))[0]).toHaveLength(64);
    expect((await vectorsOf({ input: 'a red circle', prompt_name: 'query' }))[0]).not.toEqual(whole);
    expect(await vectorsOf({ input: 'b '.repeat(300), truncate: true })).toHaveLength(1);
  });
});

openaiEmbeddings(() => ({ baseUrl: `${origin}/v1`, apiKey: key, model: 'tiny-embed' }));
