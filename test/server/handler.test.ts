import { describe, expect, it } from 'vitest';
import type { Inference } from '../../src/inference.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { chatBody, eventsOf, key, send, type Sent } from './support.ts';

const inference = createFakeInference({
  models: ['fake-chat', 'org/model', 'org/parameters', { id: 'small', name: 'Small', contextLength: 128 }],
});
const handler = createHandler(inference, { auth: { keys: [key] } });

describe('paths', () => {
  it.each<[string, string | undefined]>([
    ['/v1/models', undefined],
    ['/v1/models/', undefined],
    ['/v1/models?limit=3', undefined],
    ['/v1/models/?a=/v1/x#y', undefined],
    ['/models', undefined],
    ['/v1/models', '/v1'],
    ['/v1/models', '/v1/'],
    ['/api/v1/models', '/api/v1'],
    ['/api/v1/models', '/api'],
    ['/internal/ai/models', '/internal/ai'],
    ['/v1/v1/models', '/v1'],
    ['/v1/models', '/elsewhere'],
    ['/v1/models', '/'],
    ['/v1/models', ''],
    ['http://example.org/v1/models', undefined],
  ])('%s mounted at %s', async (url, mountPath) => {
    const answer = await send(handler, { url, mountPath });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.json.object).toBe('list');
  });

  it.each<[string, string | undefined]>([
    ['/', undefined],
    ['', undefined],
    ['*', undefined],
    ['/v1', undefined],
    ['/v2/models', undefined],
    ['/v1models', undefined],
    ['/v1/modelsx', undefined],
    ['/aimodels', '/ai'],
    ['/v1/v1/models', undefined],
    ['/v1//models', undefined],
    ['/v1/chat', undefined],
    [`/${'a/'.repeat(10_000)}`, undefined],
  ])('nothing at %s mounted at %s', async (url, mountPath) => {
    expect((await send(handler, { url, mountPath })).status).toBe(404);
  });
});

describe('models', () => {
  it('lists all', async () => {
    const { json } = await send(handler, { url: '/v1/models' });
    expect(json.data.map((model: { id: string }) => model.id)).toEqual([
      'fake-chat',
      'org/model',
      'org/parameters',
      'small',
    ]);
    expect(json.data[3]).toEqual({
      id: 'small',
      object: 'model',
      created: 0,
      owned_by: 'slashv1',
      name: 'Small',
      category: 'chat',
      context_length: 128,
      state: 'ready',
    });
  });

  it.each([
    ['/v1/models/fake-chat', 'fake-chat'],
    ['/v1/models/org/model', 'org/model'],
    ['/v1/models/org%2Fmodel', 'org/model'],
    ['/v1/models/org%2fmodel/', 'org/model'],
    ['/v1/models/org%2Fparameters', 'org/parameters'],
  ])('%s is %s', async (url, id) => {
    expect((await send(handler, { url })).json).toMatchObject({ id, object: 'model' });
  });

  it.each([
    ['/v1/models/org/model/parameters', 'org/model'],
    ['/v1/models/org%2Fmodel/parameters', 'org/model'],
    ['/v1/models/org/parameters/parameters', 'org/parameters'],
  ])('%s is about %s', async (url, model_id) => {
    expect((await send(handler, { url })).json).toMatchObject({ model_id });
  });

  it.each(['/v1/models/nope', '/v1/models/nope/parameters', '/v1/models/__proto__'])(
    '%s is not there',
    async (url) => {
      const { status, json } = await send(handler, { url });
      expect([status, json.error.code]).toEqual([404, 'model_not_found']);
    },
  );
});

describe('HEAD', () => {
  it('answers as GET without the body', async () => {
    const get = await send(handler, { url: '/v1/models' });
    const head = await send(handler, { url: '/v1/models', method: 'HEAD' });
    expect(head.status).toBe(200);
    expect(head.text).toBe('');
    expect(head.headers['content-length']).toBe(get.headers['content-length']);
  });
});

describe('request ids', () => {
  it.each(['abc-1.2_3', 'x'.repeat(128)])('takes %s', async (id) => {
    const { headers } = await send(handler, { url: '/v1/models', headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toBe(id);
  });

  it.each(['', 'a b', 'x'.repeat(129), 'a\r\nset-cookie: b', 'ä'])('makes one instead of %j', async (id) => {
    const { headers } = await send(handler, { url: '/v1/models', headers: { 'x-request-id': id } });
    expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/);
  });

  it('are new each time', async () => {
    const ids = await Promise.all(
      [1, 2].map(async () => (await send(handler, { url: '/' })).headers['x-request-id']),
    );
    expect(new Set(ids).size).toBe(2);
  });
});

describe('deadlines', () => {
  it.each<[Sent['headers'], number | undefined]>([
    [{}, undefined],
    [{ 'x-stainless-timeout': '600' }, 600_000],
    [{ 'x-request-timeout': '1.5' }, 1500],
    [{ 'x-request-timeout': '5', 'x-stainless-timeout': '600' }, 5000],
    [{ 'x-stainless-timeout': '0' }, undefined],
    [{ 'x-stainless-timeout': '-1' }, undefined],
    [{ 'x-stainless-timeout': 'soon' }, undefined],
    [{ 'x-stainless-timeout': '1e300' }, 2 ** 31 - 1],
  ])('%j → %s ms', async (headers, deadlineMs) => {
    await send(handler, { json: chatBody(), headers: headers! });
    const given = inference.calls.at(-1)!.deadlineMs;
    if (deadlineMs === undefined) return expect(given).toBeUndefined();
    // The body takes its part of it.
    expect(given).toBeLessThanOrEqual(deadlineMs);
    expect(given).toBeGreaterThan(Math.max(0, deadlineMs - 60_000));
  });
});

describe('chat', () => {
  it('answers at once', async () => {
    const answer = await send(handler, { json: chatBody() });
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    expect(answer.headers['content-length']).toBe(String(Buffer.byteLength(answer.text)));
    expect(answer.json).toMatchObject({
      id: expect.stringMatching(/^chatcmpl-[0-9a-f]{32}$/),
      object: 'chat.completion',
      model: 'fake-chat',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 2, completion_tokens: 2, total_tokens: 4 },
    });
    expect(Math.abs(answer.json.created - Date.now() / 1000)).toBeLessThan(60);
  });

  it.each([true, false])(
    'tells which tools a model that takes one was offered (stream: %s)',
    async (stream) => {
      const choosy: Inference = {
        ...createFakeInference(),
        async *run(): AsyncGenerator<any> {
          yield { type: 'prompt-end', promptTokens: 3, toolsUsed: ['get_weather'] };
          yield { type: 'choice-end', choice: 0, finishReason: 'stop' };
        },
      };
      const answer = await send(createHandler(choosy, { auth: 'none' }), { json: chatBody({ stream }) });
      expect(answer.status).toBe(200);
      expect(answer.headers['x-slashv1-tools-used']).toBe('get_weather');
    },
  );

  it('streams the same answer', async () => {
    const answer = await send(handler, {
      json: chatBody({ n: 2, stream: true, stream_options: { include_usage: true } }),
    });
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': expect.stringContaining('no-cache'),
      'x-accel-buffering': 'no',
    });
    expect(answer.headers).not.toHaveProperty('content-length');
    const events = eventsOf(answer.text);
    expect(events.at(-1)).toBe('[DONE]');
    const chunks = events.slice(0, -1);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    for (const index of [0, 1]) {
      const choices = chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === index);
      expect(choices.map((choice) => choice.delta.content ?? '').join('')).toBe('Hello there');
      expect(choices.at(-1).finish_reason).toBe('stop');
    }
    expect(chunks.at(-1).usage).toMatchObject({ prompt_tokens: 2, completion_tokens: 4, total_tokens: 6 });
  });

  it('hands over the request as a whole', async () => {
    const tools = [{ type: 'function', function: { name: 'f' } }];
    await send(handler, {
      json: chatBody({ stop: 'x', seed: 3, logit_bias: { 5: -1 }, tools, mirostat_tau: 3 }),
    });
    expect(inference.requests.at(-1)).toMatchObject({
      model: 'fake-chat',
      messages: [{ role: 'user', content: 'Hello there' }],
      stop: ['x'],
      seed: 3,
      logitBias: new Map([[5, -1]]),
      tools: [{ name: 'f' }],
      mirostatTau: 3,
    });
  });

  it('answers a wrong category with 400', async () => {
    const other = createFakeInference({ models: [{ id: 'eyes', category: 'detection' }] });
    const answer = await send(createHandler(other, { auth: 'none' }), { json: chatBody({ model: 'eyes' }) });
    expect([answer.status, answer.json.error.param]).toEqual([400, 'model']);
  });
});

describe('clients that leave', () => {
  it('end a request that is not streamed', async () => {
    const slow = createFakeInference({ reply: { text: 'a b c', delayMs: 60_000 } });
    const client = new AbortController();
    const answer = send(createHandler(slow, { auth: 'none' }), { json: chatBody(), signal: client.signal });
    while (slow.running === 0) await new Promise(setImmediate);
    client.abort();
    expect((await answer).status).toBe(499);
    expect([slow.running, slow.cancelled]).toEqual([0, 1]);
  });

  it('start nothing when they have gone before', async () => {
    const client = new AbortController();
    client.abort();
    const answer = await send(handler, {
      body: { parsed: chatBody() },
      method: 'POST',
      signal: client.signal,
    });
    expect(answer.status).toBe(499);
  });
});

describe('options', () => {
  it.each<[object, RegExp]>([
    [{}, /^auth: /],
    [{ auth: undefined }, /^auth: /],
    [{ auth: null }, /^auth: /],
    [{ auth: 'all' }, /^auth: /],
    [{ auth: {} }, /^auth: /],
    [{ auth: { keys: [] } }, /^auth: /],
    [{ auth: { keys: [''] } }, /^auth\.keys\[0\]: /],
    [{ auth: { keys: [undefined] } }, /^auth\.keys\[0\]: /],
    [{ auth: { keys: ['a b'] } }, /^auth\.keys\[0\]: /],
    [{ auth: { keys: ['a', { key: 'a' }] } }, /^auth: /],
    [{ auth: { keys: [{ key: 'a', plan: 'gold' }] } }, /^auth: .*gold/],
    [{ auth: 'none', plans: {} }, /^plans: /],
    [{ auth: 'none', maxBodyBytes: 0 }, /^maxBodyBytes: /],
    [{ auth: 'none', maxBodyBytes: 1.5 }, /^maxBodyBytes: /],
    [{ auth: 'none', keepAliveMs: 0 }, /^keepAliveMs: /],
    [{ auth: 'none', keepAliveMs: 2 ** 31 }, /^keepAliveMs: /],
    [{ auth: { keys: ['a'] }, plans: { p: { quota: { perSeconds: 1 } } } }, /^plans\.p\.quota: /],
    [{ auth: { keys: ['a'] }, plans: { p: { quota: { requests: 1 } } } }, /^plans\.p\.quota\.perSeconds: /],
    [
      { auth: { keys: ['a'] }, plans: { p: { rateLimit: { requests: 0, perSeconds: 1 } } } },
      /^plans\.p\.rateLimit\.requests: /,
    ],
    [
      { auth: { keys: ['a'] }, plans: { p: { rateLimit: { tokens: 1.5, perSeconds: 1 } } } },
      /^plans\.p\.rateLimit\.tokens: /,
    ],
    [
      { auth: { keys: ['a'] }, plans: { p: { quota: { requests: 1, perSeconds: 2_592_000 } } } },
      /perSeconds: .*limiter/,
    ],
  ])('%j is refused', (options, message) => {
    expect(() => createHandler(inference, options as never)).toThrow(message);
  });
});
