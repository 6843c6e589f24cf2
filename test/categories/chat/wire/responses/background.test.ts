import OpenAI from 'openai';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { toFetch } from '../../../../../adapters/fetch.ts';
import { categories } from '../../../../../src/categories/registry.ts';
import { modelResponseSchema } from '../../../../../src/categories/chat/wire/responses/schema.ts';
import type { ResponseStore } from '../../../../../src/contracts/caller.ts';
import type { InferenceBase } from '../../../../../src/contracts/engine.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import { createEngine } from '../../../../../src/engine/create-engine.ts';
import { inlineReplicas } from '../../../../../src/engine/inline-replica.ts';
import { MemoryResponseStore } from '../../../../../src/server/memory-response-store.ts';
import type { HandlerOptions } from '../../../../../src/server/options.ts';
import { playChat, type FakeAnswer } from '../../../../../src/testing/fake-chat.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { expectError, send } from '../../../../server/support.ts';

const keys = [
  { key: 'ann', id: 'ann', plan: 'free' },
  { key: 'bob', id: 'bob', plan: 'free' },
  { key: 'narrow', id: 'narrow', plan: 'narrow' },
];

/** A service in front of an inference, and its callers. */
function serveOver(inference: InferenceBase, options: Partial<HandlerOptions> = {}) {
  const onError = vi.fn();
  const handler = createHandler(inference, {
    auth: { keys },
    plans: {
      free: {},
      narrow: { maxConcurrent: 1, quota: { requests: 2, tokens: 1000, perSeconds: 60 } },
    },
    keepResponses: true,
    onError,
    ...options,
  });
  const as = (key: string) => {
    const call = (method: string, url: string, json?: object, signal = new AbortController().signal) =>
      send(handler, {
        method,
        url: `/v1/responses${url}`,
        json,
        signal,
        headers: { authorization: `Bearer ${key}`, 'x-stainless-timeout': '30' },
      });
    const get = (id: string) => call('GET', `/${id}`);
    return {
      call,
      get,
      ask: (json: object = {}, signal?: AbortSignal) =>
        call('POST', '', { model: 'fake-chat', input: 'Hi', background: true, ...json }, signal),
      cancel: (id: string) => call('POST', `/${id}/cancel`),
      ended: (id: string) =>
        vi.waitFor(async () => {
          const { json } = await get(id);
          expect(['queued', 'in_progress']).not.toContain(json.status);
          return json;
        }, 5000),
    };
  };
  return { handler, onError, as };
}

function serve(reply: FakeAnswer = { text: 'Hello' }, options?: Partial<HandlerOptions>) {
  const inference = createFakeInference({ reply });
  return { inference, ...serveOver(inference, options) };
}

/** An engine of one place, with one more in its queue, whose model answers by script. */
function serveQueue(reply: FakeAnswer) {
  const engine = createEngine({
    models: { 'fake-chat': { category: 'chat', source: 'none', maxQueue: 1 } },
    categories,
    startReplica: inlineReplicas(async ({ id }) => ({
      info: { id, name: id, category: 'chat', contextLength: 2048, created: 0, ownedBy: 'nobody' },
      concurrency: 1,
      run: (request, { signal } = {}) => playChat(reply, request as never, signal),
      close: async () => {},
    })),
  });
  const complete = categories.get('chat')!.complete as (request: unknown) => never;
  return {
    engine,
    ...serveOver({
      ...engine,
      run: (name, request, options) => engine.run(name, complete(request), options),
    }),
  };
}

const slow = { text: 'one two three four', delayMs: 30 };
const endless = { text: 'word '.repeat(200), delayMs: 20 };

describe('a response in the background', () => {
  it('is answered at once, and has its output at the end', async () => {
    const { as } = serve(slow);
    const { ask, get, ended } = as('ann');
    const { status, json } = await ask({ metadata: { a: 'b' } });
    expect(status).toBe(200);
    expect(json).toMatchObject({
      status: 'in_progress',
      background: true,
      store: true,
      output: [],
      usage: null,
    });
    expect(modelResponseSchema.parse(json)).toEqual(json);
    expect((await get(json.id)).json).toEqual(json);
    const last = await ended(json.id);
    expect(last).toMatchObject({
      id: json.id,
      created_at: json.created_at,
      status: 'completed',
      background: true,
      metadata: { a: 'b' },
      output: [{ content: [{ text: slow.text }] }],
      usage: { output_tokens: 4 },
    });
    expect(modelResponseSchema.parse(last)).toEqual(last);
  });

  it('goes on when its client has gone, beyond the time that clients give an answer', async () => {
    const { as, inference } = serve(slow);
    const { ask, ended } = as('ann');
    const client = new AbortController();
    const { json } = await ask({}, client.signal);
    client.abort();
    expect(await ended(json.id)).toMatchObject({ status: 'completed' });
    expect(inference.calls[0]!.deadlineMs).toBeUndefined();
  });

  it("has the request's own deadline, where that has one", async () => {
    const { handler, inference } = serve(slow);
    const { status } = await send(handler, {
      url: '/v1/responses',
      json: { model: 'fake-chat', input: 'Hi', background: true },
      headers: { authorization: 'Bearer ann', 'x-request-timeout': '30' },
    });
    expect(status).toBe(200);
    expect(inference.calls[0]!.deadlineMs).toBeGreaterThan(20_000);
  });

  it('is had, and stopped, by the openai package', async () => {
    const { handler } = serve(({ messages }) => (messages[0]!.content === 'slow' ? endless : 'Hello'));
    const answer = toFetch(handler);
    const { responses } = new OpenAI({
      baseURL: 'http://localhost/v1',
      apiKey: 'ann',
      fetch: (url, init) => answer(new Request(url, init)),
    });
    const short = await responses.create({ model: 'fake-chat', input: 'short', background: true });
    await vi.waitFor(async () => expect((await responses.retrieve(short.id)).output_text).toBe('Hello'));
    const long = await responses.create({ model: 'fake-chat', input: 'slow', background: true });
    expect((await responses.cancel(long.id)).status).toBe('cancelled');
    expect((await responses.retrieve(long.id)).status).toBe('cancelled');
    const count = await responses.inputTokens.count({ model: 'fake-chat', input: 'three small words' });
    expect(count).toEqual({ object: 'response.input_tokens', input_tokens: 3 });
  });

  it('is stopped by its cancellation, which may be repeated', async () => {
    const { as, inference } = serve(endless);
    const { ask, cancel, get } = as('ann');
    const { id } = (await ask()).json;
    const first = await cancel(id);
    expect([first.status, first.json.status]).toEqual([200, 'cancelled']);
    expect([inference.running, inference.cancelled]).toEqual([0, 1]);
    expect((await cancel(id)).json).toEqual(first.json);
    expect((await get(id)).json).toEqual(first.json);
  });

  it('is answered as it is where it has ended before its cancellation', async () => {
    const { ask, cancel, ended } = serve().as('ann');
    const { id } = (await ask()).json;
    const last = await ended(id);
    expect((await cancel(id)).json).toEqual(last);
  });

  it('can be continued when it has ended, and not before', async () => {
    const { as, inference } = serve(slow);
    const { ask, cancel, ended } = as('ann');
    const { id } = (await ask()).json;
    const next = { previous_response_id: id, background: false };
    expectError(await ask(next), 400, 'invalid_request', 'previous_response_id');
    const { output } = await ended(id);
    expect((await ask(next)).json.status).toBe('completed');
    expect((await ask({ input: [{ type: 'item_reference', id: output[0].id }] })).status).toBe(200);
    expect(inference.requests).toHaveLength(3);
    const stopped = (await ask()).json;
    await cancel(stopped.id);
    expectError(
      await ask({ previous_response_id: stopped.id }),
      400,
      'invalid_request',
      'previous_response_id',
    );
  });

  it('belongs to its key', async () => {
    const { as, inference } = serve(endless);
    const { id } = (await as('ann').ask()).json;
    const { call, get, cancel } = as('bob');
    for (const answer of [await get(id), await cancel(id), await call('DELETE', `/${id}`)]) {
      expectError(answer, 404, 'response_not_found', 'response_id');
    }
    expect(inference.running).toBe(1);
    expect((await as('ann').cancel(id)).json.status).toBe('cancelled');
  });

  it('is stopped and forgotten when it is deleted', async () => {
    const { as, inference } = serve(endless);
    const { ask, call, get } = as('ann');
    const { id } = (await ask()).json;
    expect((await call('DELETE', `/${id}`)).json).toEqual({ id, object: 'response', deleted: true });
    expect(inference.cancelled).toBe(1);
    expectError(await get(id), 404, 'response_not_found', 'response_id');
  });

  it('that fails says why, and hides what is internal', async () => {
    const { as, onError } = serve({ text: 'a b c', error: new Error('secret'), failAfter: 2, delayMs: 10 });
    const { ask, ended } = as('ann');
    const { id } = (await ask()).json;
    const last = await ended(id);
    expect(last).toMatchObject({
      status: 'failed',
      error: { code: 'server_error', message: expect.stringMatching(/^Internal error/) },
      output: [],
      completed_at: null,
    });
    expect(modelResponseSchema.parse(last)).toEqual(last);
    expect(onError).toHaveBeenCalledOnce();
  });

  it.each([
    [{ stream: true }, 'unsupported_feature', 'stream'],
    [{ store: false }, 'invalid_request', 'store'],
    [{ background: 'yes' }, 'invalid_request', 'background'],
    [{ temperature: 9 }, 'invalid_request', 'temperature'],
    [{ max_output_tokens: 0 }, 'invalid_request', 'max_output_tokens'],
  ])('is refused with %j', async (fields, code, param) => {
    const { as, inference } = serve();
    expectError(await as('ann').ask(fields), 400, code, param);
    expect(inference.requests).toHaveLength(0);
  });

  it('is refused where nothing is kept', async () => {
    const { as } = serve(undefined, { keepResponses: false });
    expectError(await as('ann').ask(), 400, 'unsupported_feature', 'background');
  });

  it('has no stream of its events', async () => {
    const { ask, call } = serve().as('ann');
    const { id } = (await ask()).json;
    expectError(await call('GET', `/${id}?stream=true`), 400, 'unsupported_feature', 'stream');
    expectError(await call('GET', `/${id}?starting_after=3`), 400, 'unsupported_feature', 'starting_after');
  });
});

describe('its plan', () => {
  it('counts it as under way until it has ended, and charges it once', async () => {
    const { ask, cancel, ended } = serve(({ messages }) =>
      messages[0]!.content === 'Hi' ? endless : 'Ok',
    ).as('narrow');
    const { id } = (await ask()).json;
    expectError(await ask(), 429, 'rate_limit_exceeded');
    await cancel(id);
    const second = await ask({ input: 'short' });
    expect(second.status).toBe(200);
    await ended(second.json.id);
    expectError(await ask(), 403, 'quota_exceeded');
  });
});

describe('the queue', () => {
  it('holds it until a worker takes it', async () => {
    const { as, engine } = serveQueue(endless);
    await engine.ready();
    const { ask, get, cancel } = as('ann');
    const [first, second] = [(await ask()).json, (await ask()).json];
    expect([first.status, second.status]).toEqual(['in_progress', 'queued']);
    expect((await get(second.id)).json.status).toBe('queued');
    expect(engine.status()[0]).toMatchObject({ running: 1, waiting: 1 });
    // One more is refused, and not kept.
    expectError(await ask(), 503, 'overloaded');
    expect((await cancel(first.id)).json.status).toBe('cancelled');
    await vi.waitFor(async () => expect((await get(second.id)).json.status).toBe('in_progress'));
    expect((await cancel(second.id)).json.status).toBe('cancelled');
    await vi.waitFor(() => expect(engine.status()[0]).toMatchObject({ running: 0, waiting: 0 }));
    await engine.close();
  });

  it('is drained as the service shuts down; what takes longer has failed', async () => {
    const { as, engine } = serveQueue(({ messages }) => (messages[0]!.content === 'short' ? slow : endless));
    await engine.ready();
    const { ask, get } = as('ann');
    const short = (await ask({ input: 'short' })).json;
    const waiting = (await ask()).json;
    await engine.close({ graceMs: 2000 });
    const failed = {
      status: 'failed',
      error: { code: 'server_error', message: expect.stringMatching(/shutting/) },
    };
    await vi.waitFor(async () => expect((await get(short.id)).json).toMatchObject({ status: 'completed' }));
    expect((await get(waiting.id)).json).toMatchObject(failed);
    expectError(await ask(), 503, 'overloaded');

    const other = serveQueue(endless);
    await other.engine.ready();
    const long = (await other.as('ann').ask()).json;
    await other.engine.close({ graceMs: 20 });
    expect(await other.as('ann').ended(long.id)).toMatchObject(failed);
  });
});

describe('the store', () => {
  it('keeps its bounds: what is too large is refused, or has failed', async () => {
    const { as } = serve({ text: 'a'.repeat(4000) }, { maxBodyBytes: 3000 });
    const { ask, ended } = as('ann');
    expectError(await ask({ input: 'a'.repeat(2915) }), 413, 'request_too_large', 'input');
    const { id } = (await ask()).json;
    expect(await ended(id)).toMatchObject({
      status: 'failed',
      error: { message: expect.stringMatching(/larger/) },
    });
  });

  it('that is down refuses it, and nothing runs', async () => {
    const down = async () => {
      throw new Error('ECONNREFUSED');
    };
    const store = { get: down, set: down, delete: down };
    const { as, inference } = serve(endless, { keepResponses: { store } });
    expectError(await as('ann').ask(), 503, 'overloaded');
    expect(inference.running).toBe(0);
  });

  it('that several processes share carries a cancellation to the one that runs it', async () => {
    const store = sharedStore();
    const [one, two] = [
      serve(endless, { keepResponses: { store } }),
      serve(endless, { keepResponses: { store } }),
    ];
    const { id } = (await one.as('ann').ask()).json;
    expect((await two.as('ann').get(id)).json.status).toBe('in_progress');
    expect((await two.as('ann').cancel(id)).json).toMatchObject({ id, status: 'cancelled' });
    expect([one.inference.running, one.inference.cancelled]).toEqual([0, 1]);
    expect((await one.as('ann').get(id)).json.status).toBe('cancelled');
    // No mark is left.
    expect(store.keys().filter((key) => /\.(?:beat|stop)$/.test(key))).toEqual([]);
    expect(store.keys()).toContainEqual(expect.stringMatching(new RegExp(`:${id}$`)));
  });

  it('of a process that has gone shows what it ran as failed', async () => {
    const store = sharedStore();
    let isGone = false;
    const oneStore: ResponseStore = {
      ...store,
      set: async (...args) => (isGone ? undefined : store.set(...args)),
    };
    const one = serve(endless, { keepResponses: { store: oneStore } });
    const { id } = (await one.as('ann').ask()).json;
    isGone = true;
    // As its expiry would do.
    await store.delete(`slashv1:responses:free:ann:${id}.beat`);
    const { as } = serve(endless, { keepResponses: { store } });
    const failed = { status: 'failed', error: { message: expect.stringMatching(/process/) } };
    expect((await as('ann').get(id)).json).toMatchObject(failed);
    expect((await as('ann').cancel(id)).json).toMatchObject(failed);
    onTestFinished(async () => void (await one.as('ann').cancel(id)));
  });
});

function sharedStore(): ResponseStore & { keys(): string[] } {
  const memory = new MemoryResponseStore({ maxCount: 100, maxBytes: 1e6 });
  const present = new Set<string>();
  return {
    get: (key) => memory.get(key),
    set: async (key, text, expirySeconds) => {
      present.add(key);
      await memory.set(key, text, expirySeconds);
    },
    delete: async (key) => {
      present.delete(key);
      await memory.delete(key);
    },
    keys: () => [...present],
  };
}

describe('the count of input tokens', () => {
  const count = (as: ReturnType<typeof serve>['as'], json: object) =>
    as('ann').call('POST', '/input_tokens', { model: 'fake-chat', ...json });

  it('covers instructions, items and what was kept', async () => {
    const { as } = serve('Hello there');
    const body = { instructions: 'Be brief', input: [{ role: 'user', content: 'a red circle' }] };
    expect((await count(as, body)).json.input_tokens).toBe(5);
    const { id } = (await as('ann').ask({ background: false })).json;
    expect((await count(as, { input: 'And now', previous_response_id: id })).json.input_tokens).toBe(5);
  });

  it('names the fields of its dialect', async () => {
    const { as } = serve();
    expectError(await count(as, {}), 400, 'invalid_request', 'input');
    const input = [{ role: 'user', content: [{ type: 'input_audio' }] }];
    const { status, json } = await count(as, { input });
    expect([status, json.error.param]).toEqual([400, expect.stringMatching(/^input\[0\]/)]);
  });
});

it('a path to compact conversations is refused with what to do in its place', async () => {
  const answer = await serve().as('ann').call('POST', '/compact', { model: 'fake-chat', input: 'Hi' });
  expectError(answer, 405, 'method_not_allowed');
  expect(answer.json.error.message).toContain('POST /v1/responses');
});
