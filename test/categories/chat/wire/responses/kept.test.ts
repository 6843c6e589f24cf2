import { describe, expect, it, vi } from 'vitest';
import { modelResponseSchema } from '../../../../../src/categories/chat/wire/responses/schema.ts';
import type { ResponseStore } from '../../../../../src/contracts/caller.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import { MemoryResponseStore } from '../../../../../src/server/memory-response-store.ts';
import type { HandlerOptions } from '../../../../../src/server/options.ts';
import type { FakeAnswer } from '../../../../../src/testing/fake-chat.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { eventsOf, expectError, send } from '../../../../server/support.ts';

const keys = [
  { key: 'ann', id: 'ann', plan: 'free' },
  { key: 'bob', id: 'bob', plan: 'free' },
  { key: 'ann-pro', id: 'ann', plan: 'pro' },
  { key: 'ann-again', id: 'ann', plan: 'free' },
];

/** A service that keeps responses, and its callers. */
function serve(reply: FakeAnswer = { text: 'Hello' }, options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ reply });
  const onError = vi.fn();
  const handler = createHandler(inference, {
    auth: { keys },
    plans: { free: {}, pro: {} },
    keepResponses: true,
    onError,
    ...options,
  });
  const as = (key: string) => {
    const call = (method: string, url: string, json?: object) =>
      send(handler, {
        method,
        url: `/v1/responses${url}`,
        json,
        headers: { authorization: `Bearer ${key}` },
      });
    return {
      call,
      ask: (json: object) => call('POST', '', { model: 'fake-chat', input: 'Hi', ...json }),
      get: (id: string) => call('GET', `/${id}`),
    };
  };
  return { inference, onError, as, lastMessages: () => inference.requests.at(-1)!.messages };
}

const paths = [
  ['GET', ''],
  ['GET', '/input_items'],
  ['POST', '/cancel'],
  ['DELETE', ''],
] as const;

const user = (content: string) => ({ role: 'user', content });

describe('responses that are kept', () => {
  it('can be had again, continued and removed', async () => {
    const { as, lastMessages } = serve();
    const { ask, get, call } = as('ann');
    const first = (await ask({ input: 'I am Ann.', instructions: 'Be brief.' })).json;
    expect(first.store).toBe(true);
    expect((await get(first.id)).json).toEqual(first);
    expect(modelResponseSchema.parse(first)).toEqual(first);

    const second = (await ask({ input: 'Who am I?', previous_response_id: first.id })).json;
    expect(second.previous_response_id).toBe(first.id);
    // Instructions are those of each request.
    expect(lastMessages()).toEqual([
      user('I am Ann.'),
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      user('Who am I?'),
    ]);

    const removed = await call('DELETE', `/${first.id}`);
    expect(removed.json).toEqual({ id: first.id, object: 'response', deleted: true });
    expectError(await get(first.id), 404, 'response_not_found', 'response_id');
    await ask({ previous_response_id: second.id });
    expect(lastMessages()).toHaveLength(5);
  });

  it('are there when the last event of a stream is', async () => {
    const set = vi.fn(async () => new Promise((resolve) => setTimeout(resolve, 20)));
    const memory = new MemoryResponseStore({ maxCount: 10, maxBytes: 1e6 });
    const store: ResponseStore = {
      get: (key) => memory.get(key),
      delete: (key) => memory.delete(key),
      set: async (...args) => {
        await set();
        return memory.set(...args);
      },
    };
    const { as } = serve(undefined, { keepResponses: { store } });
    const { ask, get } = as('ann');
    const { text } = await ask({ stream: true });
    const last = eventsOf(text.replaceAll(/^event: .*\n/gm, '')).at(-1);
    expect(last).toMatchObject({ type: 'response.completed', response: { store: true } });
    expect((await get(last.response.id)).json).toEqual(last.response);
  });

  it('are no more than were wanted', async () => {
    const { as } = serve();
    const { ask, get } = as('ann');
    const { json } = await ask({ store: false });
    expect(json.store).toBe(false);
    expectError(await get(json.id), 404, 'response_not_found', 'response_id');
  });

  it.each([
    ['another key', 'bob'],
    ['the same owner in another plan', 'ann-pro'],
  ])('are not there for %s', async (_title, other) => {
    const { as, inference } = serve();
    const { id, output } = (await as('ann').ask({})).json;
    const { call, ask } = as(other);
    for (const [method, path] of paths) {
      expectError(await call(method, `/${id}${path}`), 404, 'response_not_found', 'response_id');
    }
    expectError(await ask({ previous_response_id: id }), 404, 'response_not_found', 'previous_response_id');
    const input = [{ type: 'item_reference', id: output[0].id }];
    expectError(await ask({ input }), 404, 'response_not_found', 'input[0]');
    expect(inference.requests).toHaveLength(1);
    expect((await as('ann-again').get(id)).status).toBe(200);
  });

  it('have items that others refer to', async () => {
    const { as, lastMessages } = serve(({ messages }) =>
      messages.at(-1)!.role === 'tool'
        ? { text: 'Noon.' }
        : { reasoning: 'Hm', toolCalls: [{ name: 'time', arguments: {} }] },
    );
    const { ask } = as('ann');
    const tools = [{ type: 'function', name: 'time' }];
    const { output } = (await ask({ tools, input: 'Time?' })).json;
    const references = output.map(({ id }: { id: string }) => ({ type: 'item_reference', id }));
    const result = { type: 'function_call_output', call_id: output[1].call_id, output: '12:00' };
    const { json } = await ask({ tools, input: [user('Time?'), ...references, result] });
    expect(json.output).toMatchObject([{ content: [{ text: 'Noon.' }] }]);
    expect(lastMessages()).toMatchObject([
      user('Time?'),
      { role: 'assistant', content: null, reasoningContent: 'Hm', toolCalls: [{ name: 'time' }] },
      { role: 'tool', content: '12:00' },
    ]);
    // Items of the input, too: a later turn has the conversation so far.
    const later = (await ask({ previous_response_id: json.id, input: 'Thanks' })).json;
    expect(lastMessages()).toHaveLength(5);
    await ask({ input: [{ type: 'item_reference', id: `${later.id.replace('resp', 'msg')}_in5` }] });
    expect(lastMessages()).toEqual([user('Thanks')]);
  });

  it('have items that are referred to once, and no more of them than a request may hold', async () => {
    const { as, inference } = serve({ text: 'a'.repeat(1500) }, { maxBodyBytes: 4000 });
    const { ask } = as('ann');
    const ids = [];
    for (let turn = 0; turn < 3; turn++) ids.push((await ask({})).json.output[0].id);
    const refer = (...named: string[]) => ask({ input: named.map((id) => ({ type: 'item_reference', id })) });
    expectError(await refer(ids[0], ids[0]), 400, 'invalid_request', 'input[1]');
    expect((await refer(ids[0], ids[1])).status).toBe(200);
    expectError(await refer(...ids), 413, 'request_too_large', 'input[2]');
    expect(inference.requests).toHaveLength(4);
  });

  it('lists the items that it has answered', async () => {
    const { as } = serve();
    const { ask, call } = as('ann');
    const { id } = (await ask({ input: [user('a'), user('b'), user('c')] })).json;
    const list = async (query = '') => (await call('GET', `/${id}/input_items${query}`)).json;
    const contents = ({ data }: { data: { content: string }[] }) => data.map(({ content }) => content);
    const all = await list();
    expect(contents(all)).toEqual(['c', 'b', 'a']);
    expect(all).toMatchObject({
      object: 'list',
      has_more: false,
      data: [{ type: 'message', role: 'user' }, {}, {}],
    });
    const page = await list('?order=asc&limit=2');
    expect(contents(page)).toEqual(['a', 'b']);
    expect(page.has_more).toBe(true);
    expect(contents(await list(`?order=asc&after=${page.last_id}`))).toEqual(['c']);
    for (const [query, param] of [
      ['?limit=0', 'limit'],
      ['?limit=101', 'limit'],
      ['?order=up', 'order'],
      ['?after=x', 'after'],
    ] as const) {
      expectError(await call('GET', `/${id}/input_items${query}`), 400, 'invalid_request', param);
    }
  });

  it('have ended: there is nothing to cancel or to stream', async () => {
    const { as } = serve();
    const { ask, call } = as('ann');
    const { id } = (await ask({})).json;
    expectError(await call('POST', `/${id}/cancel`), 400, 'invalid_request', 'response_id');
    expectError(await call('GET', `/${id}?stream=true`), 400, 'unsupported_feature', 'stream');
  });

  it.each(['resp_1', `resp_${'a'.repeat(32)}`, 'resp_%ED%A0%80', '..%2F..', `resp_${'a'.repeat(32)}%0A`])(
    'are none of the id %s',
    async (id) => {
      const { status } = await serve().as('ann').get(id);
      expect([400, 404]).toContain(status);
    },
  );

  it.each(['resp_1', 'msg_1', '\ud800', `resp_${'a'.repeat(32)}`])(
    'are none that %j refers to',
    async (id) => {
      const { ask } = serve().as('ann');
      expectError(await ask({ previous_response_id: id }), 404, 'response_not_found', 'previous_response_id');
      const input = [{ type: 'item_reference', id }];
      expectError(await ask({ input }), 404, 'response_not_found', 'input[0]');
    },
  );

  it('leave out a call that the limit cut off', async () => {
    const cut = { toolCalls: [{ name: 'time', arguments: '{"a' }] };
    const { as, lastMessages } = serve(cut);
    const { ask } = as('ann');
    const { id, output } = (await ask({ tools: [{ type: 'function', name: 'time' }] })).json;
    expect(output).toMatchObject([{ type: 'function_call', status: 'incomplete' }]);
    await ask({ previous_response_id: id, input: 'Again' });
    expect(lastMessages()).toEqual([user('Hi'), user('Again')]);
  });

  it('no answer fails with its store: it says that it is not kept', async () => {
    const down = async () => {
      throw new Error('ECONNREFUSED');
    };
    const { as, onError } = serve(undefined, {
      keepResponses: { store: { get: down, set: down, delete: down } },
    });
    const { ask, get } = as('ann');
    const { status, json } = await ask({});
    expect([status, json.store]).toEqual([200, false]);
    expect(onError).toHaveBeenCalledOnce();
    const { text } = await ask({ stream: true });
    expect(text).toContain('event: response.completed');
    const refused = await get(json.id);
    expectError(refused, 503, 'overloaded');
    expect(refused.text).not.toContain('ECONNREFUSED');
  });

  it('a store that hangs is waited for so long', async () => {
    const never = () => new Promise<never>(() => {});
    const store = { get: never, set: never, delete: never };
    const { as } = serve(undefined, { keepResponses: { store, timeoutMs: 20 } });
    expectError(await as('ann').get(`resp_${'a'.repeat(32)}`), 503, 'overloaded');
  });

  it('are not larger than a request may be', async () => {
    const { as } = serve(undefined, { maxBodyBytes: 3000 });
    const { ask, get } = as('ann');
    const first = (await ask({})).json;
    expect(first.store).toBe(true);
    const large = (await ask({ input: 'a'.repeat(2915) })).json;
    expect(large.store).toBe(false);
    expectError(await get(large.id), 404, 'response_not_found', 'response_id');
  });

  it('are those of everybody where there are no keys', async () => {
    const { as } = serve(undefined, { auth: 'none', plans: undefined });
    const { id } = (await as('ann').ask({})).json;
    expect((await as('bob').get(id)).status).toBe(200);
  });
});

describe('encrypted reasoning', () => {
  const include = ['reasoning.encrypted_content'];
  const thinking = { reasoning: 'I know.', text: 'Hi' };
  const sealedOf = async ({ as }: ReturnType<typeof serve>, key = 'ann') => {
    const { json } = await as(key).ask({ include });
    return json.output[0].encrypted_content as string;
  };
  const replay = (encrypted_content: string) => ({
    input: [
      { type: 'reasoning', summary: [], encrypted_content },
      { role: 'assistant', content: 'Hi' },
      user('So?'),
    ],
  });

  it('comes back as reasoning, and can not be read', async () => {
    const service = serve(thinking, { keepResponses: false });
    const sealed = await sealedOf(service);
    expect(Buffer.from(sealed, 'base64').toString('latin1')).not.toContain('know');
    expect(await sealedOf(service)).not.toBe(sealed);
    expect((await service.as('ann').ask(replay(sealed))).status).toBe(200);
    expect(service.lastMessages()[0]).toMatchObject({ role: 'assistant', reasoningContent: 'I know.' });
  });

  it.each([
    ['another key', (sealed: string) => sealed, 'bob'],
    ['a change', (sealed: string) => (sealed.startsWith('A') ? 'B' : 'A') + sealed.slice(1), 'ann'],
    ['an end', (sealed: string) => sealed.slice(0, 20), 'ann'],
    ['anything', () => 'abc', 'ann'],
  ])('is refused of %s', async (_title, change, key) => {
    const service = serve(thinking);
    const answer = await service.as(key).ask(replay(change(await sealedOf(service))));
    expectError(answer, 400, 'invalid_request', 'input[0].encrypted_content');
  });

  it('is read by all hosts that have the secret', async () => {
    const secret = { reasoningSecret: 'a secret of thirty-two characters' };
    const sealed = await sealedOf(serve(thinking, secret));
    expect((await serve(thinking, secret).as('ann').ask(replay(sealed))).status).toBe(200);
    expect((await serve(thinking).as('ann').ask(replay(sealed))).status).toBe(400);
  });

  it('is not there where it was not asked for', async () => {
    const { json } = await serve(thinking).as('ann').ask({});
    expect(json.output[0]).not.toHaveProperty('encrypted_content');
  });
});

describe('options', () => {
  it.each<[Partial<HandlerOptions>, RegExp]>([
    [{ keepResponses: { expirySeconds: 0 } }, /^keepResponses\.expirySeconds: expected an integer from 1/],
    [{ keepResponses: { maxCount: 0 } }, /^keepResponses\.maxCount: /],
    [
      { keepResponses: { maxBytes: 5 } },
      /^keepResponses\.maxBytes: expected an integer of at least maxBodyBytes/,
    ],
    [{ keepResponses: { timeoutMs: 0 } }, /^keepResponses\.timeoutMs: /],
    [{ keepResponses: { ttl: 5 } as never }, /keepResponses/],
    [{ keepResponses: { store: {} as never } }, /keepResponses/],
    [{ keepResponses: 'yes' as never }, /keepResponses/],
    [{ reasoningSecret: 'short' }, /^reasoningSecret: expected a text of at least 32 characters$/],
  ])('%j is refused', (options, message) => {
    expect(() => serve(undefined, options)).toThrow(message);
  });

  it('a store has its own bounds', () => {
    const store = new MemoryResponseStore({ maxCount: 1, maxBytes: 1 });
    expect(() => serve(undefined, { keepResponses: { store, maxCount: 5 } })).toThrow(
      /^keepResponses: expected no/,
    );
  });
});
