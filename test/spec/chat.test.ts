import { describe, expect, it } from 'vitest';
import type { FakeReply } from '../../src/testing/fake-chat.ts';
import { eventsOf, expectError } from '../server/support.ts';
import { serve } from './api.ts';

const path = '/v1/chat/completions';
const thinking: FakeReply = { reasoning: 'Two and three.', text: 'Five.' };
const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
};
const tools = ['weather', 'time'].map((name) => ({
  type: 'function',
  function: { name, description: `The ${name} of a city`, parameters },
}));
const twoCalls: FakeReply = {
  toolCalls: [
    { name: 'weather', arguments: { city: 'Oslo' } },
    { name: 'time', arguments: { city: 'Rome' } },
  ],
};

describe('a plain completion', () => {
  it('has the fields of the specification', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { status, headers, json } = await serve({ reply: 'Hello there' }).post(path);
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(json.id).toMatch(/\S/);
    expect(json.object).toBe('chat.completion');
    expect(Number.isInteger(json.created)).toBe(true);
    expect(json.created).toBeGreaterThanOrEqual(before);
    expect(json.created).toBeLessThanOrEqual(before + 60);
    expect(json.model).toBe('thinker');
    expect(json.choices).toHaveLength(1);
    const [choice] = json.choices;
    expect(choice.index).toBe(0);
    expect(choice.message).toEqual({ role: 'assistant', content: 'Hello there', refusal: null });
    expect(choice.finish_reason).toBe('stop');
    const { prompt_tokens, completion_tokens, total_tokens } = json.usage;
    expect([prompt_tokens, completion_tokens, total_tokens]).toEqual([2, 2, 4]);
  });

  it('has another id each time', async () => {
    const service = serve();
    const ids = [await service.post(path), await service.post(path)].map(({ json }) => json.id);
    expect(new Set(ids).size).toBe(2);
  });

  it.each([1, 5])('has n choices: %d', async (n) => {
    const { json } = await serve({ reply: (_request, choice) => `choice ${choice}` }).post(path, { n });
    const expected = Array.from({ length: n }, (_, index) => [index, `choice ${index}`]);
    expect(json.choices.map(({ index, message }: any) => [index, message.content])).toEqual(expected);
  });
});

describe('messages', () => {
  it.each(['system', 'user', 'assistant'])('of %s', async (role) => {
    const service = serve();
    const { status } = await service.post(path, { messages: [{ role, content: 'Hello' }] });
    expect(status).toBe(200);
    expect(service.last(path)['messages']).toMatchObject([{ role, content: 'Hello' }]);
  });

  it('of developer and tool, beyond the specification', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'weather', arguments: '{}' } };
    const { status } = await serve().post(path, {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: 'call_1', content: 'sunny' },
      ],
    });
    expect(status).toBe(200);
  });

  it('of nobody else', async () => {
    const answer = await serve().post(path, { messages: [{ role: 'narrator', content: 'Hello' }] });
    expectError(answer, 400, 'invalid_request', 'messages[0].role');
  });
});

describe('tools', () => {
  it('are handed on as they are defined', async () => {
    const service = serve();
    expect((await service.post(path, { tools })).status).toBe(200);
    expect(service.last(path)['tools']).toMatchObject(
      tools.map(({ function: { name, description } }) => ({ name, description, parameters })),
    );
    expect((await service.post(path)).status).toBe(200);
    expect(service.last(path)['tools']).toEqual([]);
  });

  it.each([
    ['type', { ...tools[0], type: 'retrieval' }],
    ['function.name', { type: 'function', function: { description: 'nameless' } }],
    ['function.description', { type: 'function', function: { name: 'a', description: 7 } }],
    ['function.parameters', { type: 'function', function: { name: 'a', parameters: 'city' } }],
  ])('have a valid %s', async (field, tool) => {
    expectError(await serve().post(path, { tools: [tool] }), 400, 'invalid_request', `tools[0].${field}`);
  });

  it('are called in an answer with tool_calls, content null and finish_reason tool_calls', async () => {
    const { json } = await serve({ reply: { toolCalls: twoCalls.toolCalls!.slice(0, 1) } }).post(path, {
      tools,
    });
    expect(json.choices).toEqual([
      {
        index: 0,
        message: {
          role: 'assistant',
          refusal: null,
          content: null,
          tool_calls: [
            {
              id: expect.any(String),
              type: 'function',
              function: { name: 'weather', arguments: '{"city":"Oslo"}' },
            },
          ],
        },
        logprobs: null,
        finish_reason: 'tool_calls',
      },
    ]);
  });

  it('may be called in parallel', async () => {
    const { json } = await serve({ reply: twoCalls }).post(path, { tools });
    const { tool_calls } = json.choices[0].message;
    expect(tool_calls.map((call: any) => call.function.name)).toEqual(['weather', 'time']);
    expect(new Set(tool_calls.map(({ id }: any) => id)).size).toBe(2);
    for (const call of tool_calls) {
      expect([typeof call.id, call.type]).toEqual(['string', 'function']);
      expect(JSON.parse(call.function.arguments)).toEqual({ city: expect.any(String) });
    }
  });

  it('are not called where tool_choice is none', async () => {
    const reply = { ...twoCalls, text: 'No call.' };
    const { json } = await serve({ reply }).post(path, { tools, tool_choice: 'none' });
    expect(json.choices[0]).toMatchObject({
      message: { role: 'assistant', content: 'No call.' },
      finish_reason: 'stop',
    });
    expect(json.choices[0].message).not.toHaveProperty('tool_calls');
  });
});

describe('reasoning', () => {
  it.each([{}, { include_reasoning: true }])('is beside the content: %j', async (given) => {
    const { json } = await serve({ reply: thinking }).post(path, given);
    expect(json.choices[0].message).toEqual({
      role: 'assistant',
      refusal: null,
      content: 'Five.',
      reasoning_content: 'Two and three.',
    });
  });

  it('is left out where include_reasoning is false', async () => {
    const { json } = await serve({ reply: thinking }).post(path, { include_reasoning: false });
    expect(json.choices[0].message).toEqual({ role: 'assistant', content: 'Five.', refusal: null });
  });

  it('is no field of a model that does not think', async () => {
    const { json } = await serve({ reply: 'Five.' }).post(path);
    expect(json.choices[0].message).not.toHaveProperty('reasoning_content');
  });
});

describe('stream', () => {
  it('is a stream of server-sent events where true', async () => {
    const { status, headers, text } = await serve({ reply: 'one two three' }).post(path, { stream: true });
    expect([status, headers['content-type']]).toEqual([200, 'text/event-stream; charset=utf-8']);
    const events = eventsOf(text);
    expect(events.pop()).toBe('[DONE]');
    for (const { object, model } of events) {
      expect([object, model]).toEqual(['chat.completion.chunk', 'thinker']);
    }
    expect(new Set(events.map(({ id }) => id)).size).toBe(1);
    const deltas = events.map(({ choices }) => choices[0].delta.content ?? '');
    expect(deltas.filter((delta) => delta !== '').length).toBeGreaterThan(1);
    expect(deltas.join('')).toBe('one two three');
    expect(events.at(-1).choices[0].finish_reason).toBe('stop');
  });

  it.each([{}, { stream: false }])('is a whole answer where it is not: %j', async (given) => {
    const { headers, json } = await serve().post(path, given);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(json.object).toBe('chat.completion');
  });

  it.each(['true', 1])('is not %j', async (stream) => {
    expectError(await serve().post(path, { stream }), 400, 'invalid_request', 'stream');
  });
});
