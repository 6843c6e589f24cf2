import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ResponseStore } from '../../../../../src/contracts/caller.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import { MemoryResponseStore } from '../../../../../src/server/memory-response-store.ts';
import type { HandlerOptions } from '../../../../../src/server/options.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { expectError, send, type Answer } from '../../../../server/support.ts';

/** A store of the host that tells what was asked of it. */
class WatchedStore implements ResponseStore {
  readonly texts = new Map<string, string>();
  readonly seconds: number[] = [];
  read: number[] = [];
  written: number[] = [];
  onRead = (): void => {};

  async get(key: string): Promise<string | undefined> {
    this.onRead();
    this.read.push(this.texts.get(key)?.length ?? 0);
    return this.texts.get(key);
  }

  async set(key: string, text: string, expirySeconds: number): Promise<void> {
    this.texts.set(key, text);
    this.written.push(text.length);
    this.seconds.push(expirySeconds);
  }

  async delete(key: string): Promise<void> {
    this.texts.delete(key);
  }

  /** Characters that something reads and writes. */
  async during(work: () => Promise<Answer>): Promise<{ read: number; written: number; answer: Answer }> {
    [this.read, this.written] = [[], []];
    const answer = await work();
    const sum = (lengths: readonly number[]): number => lengths.reduce((total, length) => total + length, 0);
    return { read: sum(this.read), written: sum(this.written), answer };
  }
}

function serve({ keepResponses, ...options }: Partial<HandlerOptions> = {}) {
  const store = new WatchedStore();
  const inference = createFakeInference({ reply: { text: 'Hello' } });
  const handler = createHandler(inference, {
    auth: { keys: [{ key: 'ann', id: 'ann' }] },
    keepResponses: { store, ...(keepResponses as object) },
    onError: () => undefined,
    ...options,
  });
  const call = (method: string, path: string, json?: object, more: object = {}) =>
    send(handler, { method, url: `/v1${path}`, json, headers: { authorization: 'Bearer ann' }, ...more });
  const ask = (json: object, more?: object) =>
    call('POST', '/responses', { model: 'fake-chat', input: 'Hi', ...json }, more);
  const begin = async (items: readonly object[] = []): Promise<string> =>
    (await call('POST', '/conversations', { items })).json.id;
  const add = (id: string, items: readonly object[]) => call('POST', `/conversations/${id}/items`, { items });
  return { store, inference, call, ask, begin, add, lastMessages: () => inference.requests.at(-1)!.messages };
}

const user = (content: string) => ({ role: 'user', content });
const many = (count: number, text = 'Hi') => Array.from({ length: count }, (_, at) => user(`${at} ${text}`));

afterEach(() => vi.useRealTimers());

describe('what is read and written', () => {
  it('is what a request asks for, however long its conversation is', async () => {
    const { store, call, ask, begin, add } = serve();
    const text = 'a'.repeat(1000);
    const id = await begin(many(1000, text));
    const page = await store.during(() => call('GET', `/conversations/${id}/items?limit=1`));
    expect(page.answer.json.data).toMatchObject([{ content: [{ text: `999 ${text}` }] }]);
    const head = await store.during(() => call('GET', `/conversations/${id}`));
    const change = await store.during(() => call('POST', `/conversations/${id}`, { metadata: { a: 'b' } }));
    const more = await store.during(() => add(id, [user('one more')]));
    const response = await store.during(() => ask({ conversation: id }));
    // All items are 1,200,000 characters; their ids, in the head, are 85,000.
    expect(head.read).toBeLessThan(100_000);
    expect(page.read).toBeLessThan(130_000);
    expect([change.read, change.written].every((length) => length < 100_000)).toBe(true);
    expect([more.read, more.written].every((length) => length < 100_000)).toBe(true);
    expect(response.read).toBeGreaterThan(1_000_000);
    expect(response.written).toBeLessThan(100_000);
    const later = await store.during(() => ask({ previous_response_id: response.answer.json.id }));
    expect(later.written).toBeLessThan(10_000);
    const shown = await store.during(() => call('GET', `/responses/${response.answer.json.id}`));
    expect(shown.read).toBeLessThan(10_000);
    const input = await store.during(() =>
      call('GET', `/responses/${later.answer.json.id}/input_items?limit=1`),
    );
    expect(input.read).toBeLessThan(100_000);
  });

  it('of a page ends before the item that makes it larger than 4 MiB', async () => {
    const { call, begin, add } = serve();
    const id = await begin();
    for (let turn = 0; turn < 3; turn++) await add(id, many(2, 'a'.repeat(1_500_000)));
    const seen: string[] = [];
    const sizes: number[] = [];
    for (let after = '', hasMore = true; hasMore;) {
      const { json } = await call('GET', `/conversations/${id}/items?order=asc${after}`);
      seen.push(...json.data.map(({ content }: { content: { text: string }[] }) => content[0]!.text[0]));
      sizes.push(json.data.length);
      [after, hasMore] = [`&after=${json.last_id}`, json.has_more];
    }
    expect(sizes).toEqual([2, 2, 2]);
    expect(seen.join('')).toBe('010101');
  });

  it('of references is the items that are meant', async () => {
    const { store, ask } = serve();
    const { id } = (await ask({ input: many(500) })).json;
    const refer = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        type: 'item_reference',
        id: `${id.replace('resp', 'msg')}_in${at}`,
      }));
    const few = await store.during(() => ask({ input: refer(64), store: false }));
    expect(few.answer.status).toBe(200);
    expect(store.read).toHaveLength(1 + 64);
  });

  it('ends when the client leaves, and at the deadline', async () => {
    const { store, ask, begin, inference } = serve();
    const id = await begin(many(2000));
    const leaving = new AbortController();
    store.onRead = () => leaving.abort();
    const left = await store.during(() => ask({ conversation: id }, { signal: leaving.signal }));
    expect(left.answer.status).toBe(499);
    expect(store.read.length).toBeLessThan(5);
    store.onRead = () => undefined;
    const headers = { authorization: 'Bearer ann', 'x-request-timeout': '0.001' };
    const late = await ask({ conversation: id }, { headers });
    expectError(late, 504, 'deadline_exceeded');
    expect(inference.requests).toHaveLength(0);
  });

  it('is counted with the bodies of its key while the request lasts', async () => {
    const limits = { maxBodyBytes: 2 ** 20, bodies: { bytesPerKey: 2 ** 20 } };
    const { ask, begin } = serve(limits);
    const id = await begin([user('a'.repeat(700_000))]);
    const both = await Promise.all([ask({ conversation: id }), ask({ conversation: id })]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([200, 429]);
    expect((await ask({ conversation: id })).status).toBe(200);
  });

  it('that the store has lost is told', async () => {
    const { store, call, ask, begin } = serve();
    const id = await begin(many(3));
    const lost = [...store.texts.keys()].find((key) => key.includes('.'))!;
    store.texts.delete(lost);
    expectError(await ask({ conversation: id }), 404, 'response_not_found');
    expectError(await call('GET', `/conversations/${id}/items`), 404, 'response_not_found');
  });
});

describe('bounds', () => {
  it('a conversation has at most 4096 items', async () => {
    const { ask, begin, add, inference, call } = serve();
    const id = await begin(many(4095));
    expectError(await add(id, many(2)), 413, 'request_too_large', 'items');
    expect((await ask({ conversation: id })).status).toBe(200);
    expectError(await ask({ conversation: id }), 413, 'request_too_large', 'conversation');
    expect(inference.requests).toHaveLength(1);
    expectError(
      await call('POST', '/conversations', { items: many(4097) }),
      413,
      'request_too_large',
      'items',
    );
  });

  it('a conversation has at most as many parts as a body', async () => {
    const { begin, add } = serve();
    const parts = Array.from({ length: 100 }, () => ({ type: 'input_text', text: 'a' }));
    const items = Array.from({ length: 100 }, () => ({ role: 'user', content: parts }));
    const id = await begin(items);
    expectError(await add(id, items), 413, 'request_too_large', 'items');
  });

  it.each([
    ['items[0].id', { items: [{ ...user('a'), id: '' }] }],
    ['items[0].id', { items: [{ ...user('a'), id: 'a'.repeat(65) }] }],
    ['items[0].id', { items: [{ ...user('a'), id: '..' }] }],
    ['items[0].id', { items: [{ ...user('a'), id: 'a b' }] }],
    ['items[1].id', { items: [user('a'), { type: 'reasoning', summary: [], id: 'é' }] }],
    [
      'items[1].id',
      {
        items: [
          { ...user('a'), id: 'a' },
          { ...user('b'), id: 'a' },
        ],
      },
    ],
    ['metadata', { metadata: Object.fromEntries(Array.from({ length: 17 }, (_, at) => [at, 'a'])) }],
    ['metadata.a', { metadata: { a: 'a'.repeat(513) } }],
    ['metadata', { metadata: { ['a'.repeat(65)]: 'a' } }],
  ])('name %s', async (param, body) => {
    const { call } = serve();
    expectError(await call('POST', '/conversations', body), 400, 'invalid_request', param);
  });

  it('ids and metadata may be as long as that', async () => {
    const { call, begin } = serve();
    const long = `a/?#%${'~'.repeat(59)}`;
    const id = await begin([{ ...user('a'), id: long }]);
    const path = `/conversations/${id}/items/${encodeURIComponent(long)}`;
    expect((await call('GET', path)).json).toMatchObject({ id: long });
    const metadata = Object.fromEntries(
      Array.from({ length: 16 }, (_, at) => [`${at}`.padStart(64, 'a'), 'a'.repeat(512)]),
    );
    expect((await call('POST', `/conversations/${id}`, { metadata })).json.metadata).toEqual(metadata);
    expect((await call('DELETE', path)).status).toBe(200);
  });

  it.each(['body', 'beat', 'stop', '__proto__', 'a.b:c'])('the id %s is one like others', async (itemId) => {
    const { ask, call, lastMessages } = serve();
    const { id } = (await ask({ input: [{ ...user('a'), id: itemId }] })).json;
    expect((await call('GET', `/responses/${id}`)).json.id).toBe(id);
    expect((await call('GET', `/responses/${id}/input_items`)).json.data).toMatchObject([{ id: itemId }]);
    await ask({ previous_response_id: id });
    expect(lastMessages()).toHaveLength(3);
  });

  it('an item comes once: a history that is sent a second time is refused', async () => {
    const { ask, begin } = serve();
    const first = (await ask({})).json;
    const again = [first.output[0], user('So?')];
    const asked = { input: again, previous_response_id: first.id };
    expectError(await ask(asked), 400, 'invalid_request', 'input[0].id');
    expect((await ask({ input: again })).status).toBe(200);
    const id = await begin([first.output[0]]);
    expectError(await ask({ input: again, conversation: id }), 400, 'invalid_request', 'input[0].id');
    const twice = [first.output[0], { type: 'item_reference', id: first.output[0].id }];
    expectError(await ask({ input: twice }), 400, 'invalid_request', 'input[1].id');
  });

  it('a key writes so much to a store of the host, and no more until that has expired', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const limits = { maxBytesPerKey: 20_000, expirySeconds: 100 };
    const { ask, call, begin } = serve({ maxBodyBytes: 15_000, keepResponses: limits as never });
    expect((await ask({ input: 'a'.repeat(12_000) })).json.store).toBe(true);
    const second = (await ask({ input: 'a'.repeat(12_000) })).json;
    expect([second.status, second.store]).toEqual(['completed', false]);
    const refused = await call('POST', '/conversations', { items: [user('a'.repeat(12_000))] });
    expectError(refused, 429, 'rate_limit_exceeded');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(90);
    vi.setSystemTime(Date.now() + 101_000);
    expect(await begin([user('a'.repeat(12_000))])).toMatch(/^conv_/);
  });
});

describe('what is removed', () => {
  it('leaves nothing in the store', async () => {
    const { store, call, ask, begin } = serve();
    const id = await begin(many(300));
    await ask({ conversation: id, store: false });
    await call(
      'DELETE',
      `/conversations/${id}/items/${(await call('GET', `/conversations/${id}/items`)).json.first_id}`,
    );
    await call('DELETE', `/conversations/${id}`);
    expect([...store.texts.keys()]).toEqual([]);
    const single = (await ask({ input: many(300) })).json;
    await call('DELETE', `/responses/${single.id}`);
    expect([...store.texts.keys()]).toEqual([]);
  });

  it.each([[[0, 1, 2]], [[2, 1, 0]], [[1, 0, 2]], [[1, 2, 0]]])(
    'is kept for the responses that continue it: in the order %j',
    async (order) => {
      const { store, call, ask, lastMessages } = serve();
      const ids: string[] = [];
      for (let turn = 0; turn < 3; turn++)
        ids.push((await ask({ input: `${turn}`, previous_response_id: ids.at(-1) })).json.id);
      const fork = (await ask({ input: 'fork', previous_response_id: ids[0] })).json.id;
      for (const index of order) {
        expect((await call('DELETE', `/responses/${ids[index]}`)).status).toBe(200);
        expectError(
          await call('DELETE', `/responses/${ids[index]}`),
          404,
          'response_not_found',
          'response_id',
        );
        expectError(
          await ask({ previous_response_id: ids[index] }),
          404,
          'response_not_found',
          'previous_response_id',
        );
      }
      await ask({ previous_response_id: fork, store: false });
      expect(lastMessages().map(({ content }) => content)).toEqual([
        '0',
        [{ type: 'text', text: 'Hello' }],
        'fork',
        [{ type: 'text', text: 'Hello' }],
        'Hi',
      ]);
      await call('DELETE', `/responses/${fork}`);
      expect([...store.texts.keys()]).toEqual([]);
    },
  );

  it('of a conversation ends what continues it', async () => {
    const { call, ask, begin } = serve();
    const id = await begin([user('a')]);
    const { id: responseId } = (await ask({ conversation: id })).json;
    await call('DELETE', `/conversations/${id}`);
    expect((await call('GET', `/responses/${responseId}`)).status).toBe(200);
    const refused = await ask({ previous_response_id: responseId });
    expectError(refused, 404, 'response_not_found', 'previous_response_id');
  });

  it('of its items is not shown to those that continue an earlier response', async () => {
    const { call, ask, begin, lastMessages } = serve();
    const id = await begin([{ ...user('secret'), id: 'a' }, user('b')]);
    const first = (await ask({ conversation: id })).json;
    await ask({ conversation: id, input: 'later' });
    await call('DELETE', `/conversations/${id}/items/a`);
    await ask({ previous_response_id: first.id, input: 'next' });
    // Nothing of what came later in the conversation, either.
    expect(lastMessages().map(({ content }) => (typeof content === 'string' ? content : content))).toEqual([
      [{ type: 'text', text: 'b' }],
      'Hi',
      [{ type: 'text', text: 'Hello' }],
      'next',
    ]);
  });
});

describe('time', () => {
  function inMemory(expirySeconds: number) {
    vi.useFakeTimers({ toFake: ['Date'] });
    return serve({
      keepResponses: { store: new MemoryResponseStore({ maxCount: 1000, maxBytes: 1e8 }), expirySeconds },
    });
  }
  const pass = (seconds: number): void => void vi.setSystemTime(Date.now() + seconds * 1000);

  it('of what a response continues is its own', async () => {
    const { ask, call, lastMessages } = inMemory(100);
    let id = (await ask({})).json.id;
    const first = id;
    const aside = (await ask({})).json.id;
    for (let turn = 0; turn < 10; turn++) {
      pass(90);
      id = (await ask({ previous_response_id: id })).json.id;
    }
    pass(99);
    expect((await ask({ previous_response_id: id })).status).toBe(200);
    expect(lastMessages()).toHaveLength(23);
    expect((await call('GET', `/responses/${first}`)).status).toBe(200);
    expectError(await call('GET', `/responses/${aside}`), 404, 'response_not_found', 'response_id');
    pass(126);
    expectError(await ask({ previous_response_id: id }), 404, 'response_not_found', 'previous_response_id');
  });

  it('of a conversation begins anew with each change', async () => {
    const { call, ask, begin, add, lastMessages } = inMemory(100);
    const id = await begin(many(100));
    for (const change of [
      () => add(id, [user('more')]),
      () => call('POST', `/conversations/${id}`, { metadata: {} }),
      () => ask({ conversation: id }),
      () => add(id, [user('more')]),
    ]) {
      pass(99);
      expect((await change()).status).toBe(200);
    }
    pass(99);
    expect((await ask({ conversation: id })).status).toBe(200);
    expect(lastMessages()).toHaveLength(105);
    pass(126);
    expectError(await call('GET', `/conversations/${id}`), 404, 'response_not_found', 'conversation_id');
  });
});
