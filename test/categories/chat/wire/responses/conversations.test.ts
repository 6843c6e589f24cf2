import { Agent, Runner, tool } from '@openai/agents-core';
import { OpenAIConversationsSession, OpenAIProvider } from '@openai/agents-openai';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { toFetch } from '../../../../../adapters/fetch.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import type { HandlerOptions } from '../../../../../src/server/options.ts';
import type { FakeAnswer } from '../../../../../src/testing/fake-chat.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { expectError, send } from '../../../../server/support.ts';

const keys = [
  { key: 'ann', id: 'ann', plan: 'free' },
  { key: 'ann-again', id: 'ann', plan: 'free' },
  { key: 'bob', id: 'bob', plan: 'free' },
  { key: 'ann-pro', id: 'ann', plan: 'pro' },
];
const model = 'fake-chat';
const user = (content: string) => ({ role: 'user' as const, content });
const none = `conv_${'a'.repeat(32)}`;

/** A service that keeps conversations, and the `openai` package for its callers. */
function serve(reply: FakeAnswer = { text: 'Hello' }, options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ reply });
  const handler = createHandler(inference, {
    auth: { keys },
    plans: { free: {}, pro: {} },
    keepResponses: true,
    onError: () => undefined,
    ...options,
  });
  const answer = toFetch(handler);
  const as = (apiKey: string) =>
    new OpenAI({
      baseURL: 'http://localhost/v1',
      apiKey,
      maxRetries: 0,
      fetch: (url, init) => answer(new Request(url, init)),
    });
  const call = (method: string, path: string, json?: object, key = 'ann') =>
    send(handler, { method, url: `/v1${path}`, json, headers: { authorization: `Bearer ${key}` } });
  return { inference, as, call, lastMessages: () => inference.requests.at(-1)!.messages };
}

/** Texts of the items of a conversation, the oldest first. */
async function textsIn(client: OpenAI, id: string): Promise<string[]> {
  const texts = [];
  for await (const item of client.conversations.items.list(id, { order: 'asc' }))
    texts.push(item.type === 'message' ? (item.content[0] as { text: string }).text : item.type);
  return texts;
}

describe('conversations of the openai package', () => {
  it('are begun, described anew and removed', async () => {
    const { conversations } = serve().as('ann');
    const empty = await conversations.create();
    expect(empty).toMatchObject({ object: 'conversation', metadata: {} });
    expect(empty.id).toMatch(/^conv_[0-9a-f]{32}$/);
    const begun = await conversations.create({ items: [user('Hi')], metadata: { topic: 'a' } });
    expect(await conversations.retrieve(begun.id)).toEqual(begun);
    const changed = await conversations.update(begun.id, { metadata: { topic: 'b' } });
    expect(changed).toEqual({ ...begun, metadata: { topic: 'b' } });
    expect(await conversations.retrieve(begun.id)).toEqual(changed);
    expect(await conversations.delete(begun.id)).toEqual({
      id: begun.id,
      object: 'conversation.deleted',
      deleted: true,
    });
    await expect(conversations.retrieve(begun.id)).rejects.toMatchObject({
      status: 404,
      code: 'response_not_found',
      param: 'conversation_id',
    });
  });

  it('have items that are added, had one by one and removed', async () => {
    const client = serve().as('ann');
    const { items } = client.conversations;
    const { id } = await client.conversations.create({ items: [user('one')] });
    const added = await items.create(id, {
      items: [
        { role: 'assistant', content: 'two' },
        { type: 'function_call', call_id: 'c', name: 'time', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: '12:00' },
        { type: 'reasoning', id: 'rs_mine', summary: [], content: [{ type: 'reasoning_text', text: 'Hm' }] },
      ],
    });
    expect(added).toMatchObject({ object: 'list', has_more: false, last_id: 'rs_mine' });
    expect(added.data).toMatchObject([
      {
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'two', annotations: [] }],
      },
      { type: 'function_call', status: 'completed', call_id: 'c', arguments: '{}' },
      { type: 'function_call_output', output: '12:00' },
      { type: 'reasoning', id: 'rs_mine', summary: [], content: [{ text: 'Hm' }] },
    ]);
    expect(await items.retrieve('rs_mine', { conversation_id: id })).toEqual(added.data[3]);
    expect(await items.delete(added.first_id, { conversation_id: id })).toMatchObject({ id });
    expect(await textsIn(client, id)).toEqual(['one', 'function_call', 'function_call_output', 'reasoning']);
    await expect(items.retrieve(added.first_id, { conversation_id: id })).rejects.toMatchObject({
      status: 404,
      param: 'item_id',
    });
    await expect(items.delete(added.first_id, { conversation_id: id })).rejects.toMatchObject({
      status: 404,
      param: 'item_id',
    });
  });

  it('give every item an id of its own', async () => {
    const { conversations } = serve().as('ann');
    const { id } = await conversations.create({ items: [{ ...user('a'), id: 'msg_1' } as never] });
    const again = (...ids: string[]) =>
      conversations.items.create(id, { items: ids.map((own) => ({ ...user('b'), id: own }) as never) });
    await expect(again('msg_2', 'msg_1')).rejects.toMatchObject({ status: 400, param: 'items[1].id' });
    await expect(again('msg_2', 'msg_2')).rejects.toMatchObject({ status: 400, param: 'items[1].id' });
    expect((await again('msg_2')).data[0]!.id).toBe('msg_2');
  });

  it('list their items page by page', async () => {
    const client = serve().as('ann');
    const { items } = client.conversations;
    const { id } = await client.conversations.create({ items: ['a', 'b', 'c'].map(user) });
    const newest = await items.list(id, { limit: 2 });
    expect(newest.has_more).toBe(true);
    const texts = [];
    for await (const item of newest)
      texts.push(((item as OpenAI.Conversations.Message).content[0] as { text: string }).text);
    expect(texts).toEqual(['c', 'b', 'a']);
    const first = await items.list(id, { order: 'asc', limit: 1 });
    const rest = await items.list(id, { order: 'asc', after: first.last_id });
    expect(rest.data).toHaveLength(2);
    expect(rest.has_more).toBe(false);
  });

  it('go on with each response, and have its items', async () => {
    const { as, lastMessages } = serve();
    const client = as('ann');
    const { id } = await client.conversations.create({
      items: [{ role: 'system', content: 'Be brief.' }],
    });
    const first = await client.responses.create({ model, input: 'I am Ann.', conversation: id });
    expect(first.conversation).toEqual({ id });
    const stream = await client.responses.create({
      model,
      input: [user('Who am I?')],
      conversation: { id },
      stream: true,
    });
    for await (const event of stream)
      if (event.type === 'response.completed') expect(event.response.conversation).toEqual({ id });
    expect(lastMessages()).toEqual([
      { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] },
      { role: 'user', content: [{ type: 'text', text: 'I am Ann.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'Hello' }] },
      user('Who am I?'),
    ]);
    expect(await textsIn(client, id)).toEqual(['Be brief.', 'I am Ann.', 'Hello', 'Who am I?', 'Hello']);
    // An item has the id by which the response has it, too.
    const { data } = await client.conversations.items.list(id, { order: 'asc' });
    expect(data[2]).toEqual(first.output[0]);
    const counted = await client.responses.inputTokens.count({ model, input: 'Thanks', conversation: id });
    expect(counted.input_tokens).toBeGreaterThan(0);
    expect(await textsIn(client, id)).toHaveLength(5);
  });

  it('have what a response in the background brings, and nothing of one that fails', async () => {
    const client = serve(({ messages }) =>
      messages.length > 3 ? { error: new Error('broken') } : { text: 'Hello' },
    ).as('ann');
    const { id } = await client.conversations.create();
    let response = await client.responses.create({ model, input: 'Hi', conversation: id, background: true });
    while (response.status === 'queued' || response.status === 'in_progress')
      response = await client.responses.retrieve(response.id);
    expect(await textsIn(client, id)).toEqual(['Hi', 'Hello']);
    const input = [user('a'), user('b')];
    await expect(client.responses.create({ model, input, conversation: id })).rejects.toMatchObject({
      status: 500,
    });
    expect(await textsIn(client, id)).toEqual(['Hi', 'Hello']);
  });

  it('lose nothing of what comes at the same time', async () => {
    const client = serve().as('ann');
    const { id } = await client.conversations.create();
    const inputs = ['a', 'b', 'c', 'd'];
    await Promise.all([
      ...inputs.map((input) => client.responses.create({ model, input, conversation: id })),
      ...inputs.map((text) => client.conversations.items.create(id, { items: [user(text)] })),
    ]);
    expect((await textsIn(client, id)).toSorted()).toEqual(
      [...inputs, ...inputs, ...inputs.map(() => 'Hello')].toSorted(),
    );
  });

  it.each([
    ['another key', 'bob'],
    ['the same owner in another plan', 'ann-pro'],
  ])('are not there for %s', async (_title, other) => {
    const { as, call, inference } = serve();
    const { id } = await as('ann').conversations.create({
      items: [{ ...user('secret'), id: 'msg_1' } as never],
    });
    for (const [method, path, json] of [
      ['GET', ''],
      ['POST', '', { metadata: {} }],
      ['DELETE', ''],
      ['GET', '/items'],
      ['POST', '/items', { items: [user('a')] }],
      ['GET', '/items/msg_1'],
      ['DELETE', '/items/msg_1'],
    ] as const) {
      const refused = await call(method, `/conversations/${id}${path}`, json, other);
      expectError(refused, 404, 'response_not_found', 'conversation_id');
    }
    const asked = { model, input: 'Hi', conversation: id };
    expectError(await call('POST', '/responses', asked, other), 404, 'response_not_found', 'conversation');
    expect(inference.requests).toHaveLength(0);
    expect(await textsIn(as('ann-again'), id)).toEqual(['secret']);
  });

  it.each([
    [
      'conversation',
      400,
      '/responses',
      { model, input: 'a', conversation: none, previous_response_id: none },
    ],
    ['conversation', 404, '/responses', { model, input: 'a', conversation: none }],
    ['conversation', 404, '/responses', { model, input: 'a', conversation: 'x' }],
    ['conversation', 400, '/responses', { model, input: 'a', conversation: 7 }],
    ['items[0].role', 400, '/conversations', { items: [{ role: 'king', content: 'a' }] }],
    ['items[0]', 400, '/conversations', { items: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['metadata.a', 400, '/conversations', { metadata: { a: 1 } }],
    ['items', 400, `/conversations/${none}/items`, { items: [] }],
    ['conversation_id', 404, `/conversations/${none}/items`, { items: [user('a')] }],
    ['conversation_id', 404, '/conversations/conv_1', { metadata: {} }],
  ])('are refused for a fault of %s with %i', async (param, status, path, body) => {
    const answer = await serve().call('POST', path, body);
    expect([answer.status, answer.json.error.param]).toEqual([status, param]);
  });

  it('name a page that can not be had', async () => {
    const { as, call } = serve();
    const { id } = await as('ann').conversations.create();
    for (const [query, param] of [
      ['limit=0', 'limit'],
      ['limit=101', 'limit'],
      ['order=up', 'order'],
      ['after=msg_1', 'after'],
    ] as const)
      expectError(await call('GET', `/conversations/${id}/items?${query}`), 400, 'invalid_request', param);
  });

  it('need the option, and name it', async () => {
    const { call } = serve(undefined, { keepResponses: false });
    const refused = await call('POST', '/conversations', {});
    expectError(refused, 400, 'unsupported_feature', 'conversation');
    expect(refused.json.error.message).toContain('keepResponses');
    expectError(await call('GET', `/conversations/${none}`), 400, 'unsupported_feature', 'conversation_id');
    const asked = { model, input: 'Hi', conversation: none };
    expectError(await call('POST', '/responses', asked), 400, 'unsupported_feature', 'conversation');
  });

  it('are no larger than a request may be: the answer comes without its conversation', async () => {
    const { as, call } = serve({ text: 'a'.repeat(900) }, { maxBodyBytes: 1500 });
    const { conversations, responses } = as('ann');
    const { id } = await conversations.create({ items: [user('a'.repeat(500))] });
    const tooMuch = await call('POST', `/conversations/${id}/items`, { items: [user('b'.repeat(1300))] });
    expectError(tooMuch, 413, 'request_too_large', 'items');
    const response = await responses.create({ model, input: 'Hi', conversation: id, store: false });
    expect(response).toMatchObject({ status: 'completed', conversation: null });
    expect(await textsIn(as('ann'), id)).toEqual(['a'.repeat(500)]);
  });

  it('share the bounds of responses: beyond them the oldest are forgotten', async () => {
    const { conversations } = serve(undefined, { keepResponses: { maxCount: 2 } }).as('ann');
    const ids = [];
    for (let turn = 0; turn < 3; turn++) ids.push((await conversations.create()).id);
    await expect(conversations.retrieve(ids[0]!)).rejects.toMatchObject({ status: 404 });
    expect((await conversations.retrieve(ids[2]!)).id).toBe(ids[2]);
  });

  it('name fields that nobody knows, or refuse them', async () => {
    const { call } = serve();
    expect((await call('POST', '/conversations', { topic: 'a' })).headers['x-ignored-fields']).toBe('topic');
    const strict = serve(undefined, { unknownFields: 'refuse' });
    expectError(await strict.call('POST', '/conversations', { topic: 'a' }), 400, 'invalid_request', 'topic');
  });
});

describe('@openai/agents', () => {
  const weather = tool({
    name: 'time',
    description: 'The time',
    parameters: z.object({}),
    execute: () => '12:00',
  });
  const reply: FakeAnswer = ({ messages }) => {
    const last = messages.at(-1)!;
    if (last.role === 'tool') return { text: `It is ${String(last.content)}.` };
    return JSON.stringify(last.content).includes('time')
      ? { toolCalls: [{ name: 'time', arguments: {} }] }
      : { text: `${messages.length} messages` };
  };

  function start() {
    const service = serve(reply);
    const client = service.as('ann');
    const runner = new Runner({
      modelProvider: new OpenAIProvider({ openAIClient: client as never, useResponses: true }),
      tracingDisabled: true,
    });
    return { ...service, client, runner, agent: new Agent({ name: 'Clock', model, tools: [weather] }) };
  }

  it('has sessions that this service keeps', async () => {
    const { client, runner, agent } = start();
    const session = new OpenAIConversationsSession({ client: client as never });
    const first = await runner.run(agent, 'What time is it?', { session });
    expect(first.finalOutput).toBe('It is 12:00.');
    const second = await runner.run(agent, 'Thanks', { session });
    expect(second.finalOutput).toBe('5 messages');
    const items = await session.getItems();
    expect(items.map((item) => item.type ?? 'message')).toEqual([
      'message',
      'function_call',
      'function_call_result',
      'message',
      'message',
      'message',
    ]);
    expect(await session.getItems(1)).toMatchObject([
      { role: 'assistant', content: [{ text: '5 messages' }] },
    ]);
    expect(await session.popItem()).toMatchObject({ role: 'assistant' });
    expect(await session.getItems()).toHaveLength(5);
    const id = await session.getSessionId();
    await session.clearSession();
    await expect(client.conversations.retrieve(id)).rejects.toMatchObject({ status: 404 });
  });

  it('goes on with a conversation by its id', async () => {
    const { client, runner, agent } = start();
    const { id } = await client.conversations.create();
    const first = await runner.run(agent, 'What time is it?', { conversationId: id });
    expect(first.finalOutput).toBe('It is 12:00.');
    const second = await runner.run(agent, 'Thanks', { conversationId: id });
    expect(second.finalOutput).toBe('5 messages');
    expect(await textsIn(client, id)).toEqual([
      'What time is it?',
      'function_call',
      'function_call_output',
      'It is 12:00.',
      'Thanks',
      '5 messages',
    ]);
  });
});
