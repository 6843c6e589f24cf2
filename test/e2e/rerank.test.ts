import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toNodeListener } from '../../dist/adapters/node.js';
import { createHandler, createInference, rerank, type Inference } from '../../dist/src/index.js';
import { eventually } from '../engine/processes.ts';
import { decimalsWithin } from '../tolerance.ts';

// The whole way: HTTP, handler, engine, a worker process and a cross-encoder with random weights.
const key = 'sk-of-a-test';
const source = new URL('../contract/models/bert-reranker', import.meta.url).pathname;
const long = Array.from({ length: 2048 }, (_, index) => `${index} the quick brown fox jumps `.repeat(20));
let inference: Inference;
let server: Server;
let url: string;

beforeAll(async () => {
  inference = createInference({ models: { ranker: rerank({ source }) } });
  server = createServer(toNodeListener(createHandler(inference, { auth: { keys: [key] } })));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/rerank`;
  await inference.ready();
}, 120_000);

afterAll(async () => {
  await inference.close();
  server.closeAllConnections();
  server.close();
});

interface Answer {
  readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
  readonly usage: { readonly prompt_tokens: number };
}

function ask(body: object, init: RequestInit = {}): Promise<Response> {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return fetch(url, { method: 'POST', headers, body: JSON.stringify(body), ...init });
}

async function rank(body: object): Promise<Answer> {
  const response = await ask(body);
  expect(response.status, await response.clone().text()).toBe(200);
  return (await response.json()) as Answer;
}

describe('POST /v1/rerank', () => {
  it('answers as the same process does', async () => {
    const [query, documents] = ['capital of France', ['Paris', '', { text: 'Berlin is in Germany' }]];
    const { results, usage } = await rank({ query, documents });
    const own = await inference.rerank({ model: 'ranker', query, documents });
    expect(results.map(({ index, relevance_score: score }) => [index, score])).toEqual(
      own.results.map(({ index, relevanceScore }) => [index, relevanceScore]),
    );
    expect(usage.prompt_tokens).toBe(own.promptTokens);
  });

  it('is recognized by its files', async () => {
    const unnamed = createInference({ models: { it: { source } }, isolation: 'inline' });
    await unnamed.ready();
    expect(unnamed.models()).toMatchObject([{ category: 'rerank', contextLength: 64 }]);
    await unnamed.close();
  });

  it('gives 32 clients at once what each gets alone', async () => {
    const bodies = Array.from({ length: 32 }, (_, index) => ({
      query: `query ${index}`,
      documents: Array.from({ length: 1 + (index % 5) }, (__, at) => 'a quick fox '.repeat(at * index)),
    }));
    const alone: Answer[] = [];
    for (const body of bodies) alone.push(await rank(body));
    const together = await Promise.all(bodies.map(rank));
    for (const [index, { results, usage }] of together.entries()) {
      expect(usage).toEqual(alone[index]!.usage);
      const expected = alone[index]!.results.map(({ index: place, relevance_score: score }) => ({
        index: place,
        relevance_score: expect.closeTo(score, decimalsWithin(5)),
      }));
      expect(results.toSorted(byIndex)).toEqual(expected.toSorted(byIndex));
    }
  });

  it('answers a short request while one of 2,048 documents runs', async () => {
    const order: string[] = [];
    const all = rank({ query: 'fox', documents: long }).then((answer) => {
      order.push('long');
      return answer;
    });
    await eventually(() => expect(inference.status()[0]!.running).toBe(1));
    await rank({ query: 'fox', documents: ['a'] });
    order.push('short');
    expect((await all).results).toHaveLength(2048);
    expect(order).toEqual(['short', 'long']);
  }, 120_000);

  it('stops when the client leaves', async () => {
    const client = new AbortController();
    const response = ask({ query: 'fox', documents: long }, { signal: client.signal });
    await eventually(() => expect(inference.status()[0]!.running).toBe(1));
    client.abort();
    await expect(response).rejects.toThrow();
    await eventually(() => expect(inference.status()).toMatchObject([{ running: 0, state: 'ready' }]));
  });

  it('refuses a query that leaves no room', async () => {
    const response = await ask({ query: 'reset my password '.repeat(40), documents: ['a'] });
    expect(response.status).toBe(400);
    expect(await response.json()).toMatchObject({
      error: { code: 'context_length_exceeded', param: 'query' },
    });
  });
});

function byIndex(a: Answer['results'][number], b: Answer['results'][number]): number {
  return a.index - b.index;
}
