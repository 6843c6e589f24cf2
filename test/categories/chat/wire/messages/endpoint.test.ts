import { describe, expect, it } from 'vitest';
import {
  messageEventSchema,
  messageSchema,
  messagesErrorSchema,
} from '../../../../../src/categories/chat/wire/messages/schema.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import { InferenceError } from '../../../../../src/errors.ts';
import type { FakeAnswer } from '../../../../../src/testing/fake-chat.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { key, send } from '../../../../server/support.ts';

function serve(reply: FakeAnswer = { text: 'Hello there' }) {
  const handler = createHandler(createFakeInference({ reply }), { auth: { keys: [key] }, onError: () => {} });
  const url = '/v1/messages';
  const least = { model: 'fake-chat', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] };
  const ask = (json: object = {}, headers?: Record<string, string>) =>
    send(handler, { url, json: { ...least, ...json }, ...(headers && { headers }) });
  const stream = async (json: object = {}) => {
    const { text } = await ask({ ...json, stream: true });
    const frames = text.split('\n\n').filter((frame) => frame.startsWith('event: '));
    return frames.map((frame) => {
      const event = JSON.parse(frame.slice(frame.indexOf('data: ') + 6));
      expect(frame.startsWith(`event: ${event.type}\n`)).toBe(true);
      return event;
    });
  };
  return { ask, stream };
}

const thinks = { thinking: { type: 'enabled', budget_tokens: 1024 } };

describe('POST /messages', () => {
  it('begins with the text where nobody asked for thinking', async () => {
    const server = serve({ text: 'Hello there', reasoning: 'Let me see' });
    const { json } = await server.ask();
    expect(json.content).toEqual([{ type: 'text', text: 'Hello there', citations: null }]);
    const events = await server.stream();
    expect(events.find(({ type }) => type === 'content_block_start').content_block.type).toBe('text');
  });

  it('answers with a message of the published shape', async () => {
    const { status, json } = await serve({ text: 'Hello there', reasoning: 'Let me see' }).ask(thinks);
    expect(status).toBe(200);
    expect(messageSchema.parse(json)).toEqual(json);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^msg_\w{32}$/),
      content: [
        { type: 'thinking', thinking: 'Let me see' },
        { type: 'text', text: 'Hello there' },
      ],
      stop_reason: 'end_turn',
    });
  });

  it('calls tools', async () => {
    const call = { name: 'get_weather', arguments: '{"city": "Paris"}' };
    const { json } = await serve({ toolCalls: [call] } as FakeAnswer).ask({
      tools: [{ name: 'get_weather', input_schema: { type: 'object' } }],
    });
    expect(json).toMatchObject({
      content: [{ type: 'tool_use', name: 'get_weather', input: { city: 'Paris' } }],
      stop_reason: 'tool_use',
    });
  });

  it('streams blocks that begin, grow and end', async () => {
    const events = await serve({ text: 'Hello there', reasoning: 'Let me see' }).stream(thinks);
    for (const event of events) expect(messageEventSchema.parse(event)).toEqual(event);
    const kinds = events.map(({ type }) => type).filter((type, index, all) => type !== all[index - 1]);
    const block = ['content_block_start', 'content_block_delta', 'content_block_stop'];
    expect(kinds).toEqual(['message_start', 'ping', ...block, ...block, 'message_delta', 'message_stop']);
    const text = events.map(({ delta }) => delta?.text ?? '').join('');
    expect(text).toBe('Hello there');
  });

  it('takes a key in x-api-key', async () => {
    const { ask } = serve();
    expect((await ask({}, { 'x-api-key': key, authorization: '' })).status).toBe(200);
    expect((await ask({}, { 'x-api-key': 'wrong', authorization: '' })).status).toBe(401);
  });

  it.each([
    [{ messages: [] }, undefined, 400, 'invalid_request_error'],
    [{ model: 'another' }, undefined, 404, 'not_found_error'],
    [{}, { authorization: '' }, 401, 'authentication_error'],
  ])('has errors in the form of its dialect: %j', async (body, headers, status, type) => {
    const answer = await serve().ask(body, headers);
    expect(answer.status).toBe(status);
    expect(messagesErrorSchema.parse(answer.json)).toEqual(answer.json);
    expect(answer.json).toMatchObject({ error: { type } });
  });

  it('tells clients that keep conversations on the server to send them whole', async () => {
    const { status, json } = await serve().ask({ thread: { type: 'create' } });
    expect(status).toBe(400);
    expect(messagesErrorSchema.parse(json)).toEqual(json);
    expect(json).toMatchObject({
      error: {
        message: 'thread: not supported, send the whole conversation.',
        details: { error_code: 'thread_unsupported_request' },
      },
    });
  });

  it('tells clients that a prompt is too long in the words that they look for', async () => {
    const error = new InferenceError('context_length_exceeded', 'It has 9 tokens.');
    const { json } = await serve({ error } as FakeAnswer).ask();
    expect(json).toMatchObject({ error: { message: 'prompt is too long: It has 9 tokens.' } });
  });

  it.each([
    ['overloaded', 503, 'overloaded_error'],
    ['rate_limited', 429, 'rate_limit_error'],
    ['worker_failed', 502, 'api_error'],
  ] as const)('has %s in the form of its dialect', async (code, status, type) => {
    const answer = await serve({ error: new InferenceError(code, 'No.') } as FakeAnswer).ask();
    expect([answer.status, answer.json]).toMatchObject([status, { type: 'error', error: { type } }]);
  });
});
