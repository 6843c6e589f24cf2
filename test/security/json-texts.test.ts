import { afterEach, describe, expect, it, vi } from 'vitest';
import { fromChatRequest } from '../../src/categories/chat/wire/chat/read.ts';
import { fromMessagesRequest } from '../../src/categories/chat/wire/messages/read.ts';
import { fromResponsesRequest } from '../../src/categories/chat/wire/responses/read.ts';
import { countJson, maxArgumentValues, parseBounded } from '../../src/core/text/bounded-json.ts';
import { JsonCounter } from '../../src/core/text/json-counter.ts';

afterEach(() => void vi.restoreAllMocks());

/** Megabytes of arrays, and text within other limits. */
const arrays = (count: number): string => `[${'[],'.repeat(count)}[]]`;
const huge = arrays(5_000_000);

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const callOf = (text: string) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: text } });
const assistant = (...texts: string[]) => ({
  role: 'assistant',
  content: null,
  tool_calls: texts.map(callOf),
});
const withCalls = (...texts: string[]) => ({ model: 'm', messages: [...chat.messages, assistant(...texts)] });
const item = { type: 'function_call', call_id: 'c', name: 'f', arguments: huge };

const ofSchema = 'expected at most 500000 characters.';
const ofArguments = `expected at most ${maxArgumentValues} values.`;
const manyCalls = Array.from({ length: 20 }, () => arrays(maxArgumentValues / 16));

it.each<[string, () => unknown, RegExp | string]>([
  ['json_schema', () => fromChatRequest({ ...chat, json_schema: huge }), `json_schema: ${ofSchema}`],
  ['guided_json', () => fromChatRequest({ ...chat, guided_json: huge }), `guided_json: ${ofSchema}`],
  [
    'structured_outputs.json',
    () => fromChatRequest({ ...chat, structured_outputs: { json: huge } }),
    `structured_outputs.json: ${ofSchema}`,
  ],
  [
    'values of a schema',
    () => fromChatRequest({ ...chat, json_schema: arrays(30_000) }),
    'json_schema: expected at most 20000 values.',
  ],
  [
    'levels of a schema',
    () => fromChatRequest({ ...chat, json_schema: '['.repeat(400_000) }),
    'json_schema: expected at most 64 levels of nesting.',
  ],
  [
    'grammar',
    () => fromChatRequest({ ...chat, grammar: huge }),
    /^grammar: expected at most 500000 characters/,
  ],
  [
    'structured_outputs.grammar',
    () => fromChatRequest({ ...chat, structured_outputs: { grammar: huge } }),
    /^structured_outputs\.grammar: expected at most 500000 characters/,
  ],
  [
    'arguments',
    () => fromChatRequest(withCalls(huge)),
    `messages[1].tool_calls[0].function.arguments: ${ofArguments}`,
  ],
  [
    'arguments of many calls',
    () => fromChatRequest(withCalls(...manyCalls)),
    `messages[1].tool_calls: expected at most ${maxArgumentValues} values in the arguments of all calls.`,
  ],
  [
    'arguments of many messages',
    () =>
      fromChatRequest({
        model: 'm',
        messages: [...chat.messages, ...manyCalls.map((text) => assistant(text))],
      }),
    /^messages\[8\]\.tool_calls: expected at most/,
  ],
  [
    'arguments in responses',
    () => fromResponsesRequest({ model: 'm', input: [{ role: 'user', content: 'Hi' }, item] }),
    `input[1].arguments: ${ofArguments}`,
  ],
  [
    'inputs in messages',
    () =>
      fromMessagesRequest({
        model: 'm',
        max_tokens: 1,
        messages: [
          { role: 'user', content: 'Hi' },
          {
            role: 'assistant',
            content: [
              { type: 'tool_use', id: 'c', name: 'f', input: { x: JSON.parse(arrays(70_000)) as unknown } },
            ],
          },
        ],
      }),
    /expected at most 65536 values/,
  ],
])('%s as a text is counted, never parsed', (_name, read, message) => {
  const parse = vi.spyOn(JSON, 'parse');
  expect(read).toThrow(message);
  expect(parse.mock.calls.filter(([text]) => text.length > 400_000)).toEqual([]);
});

it('the largest texts are parsed', () => {
  const schema = `{"type": "object", "x": ${arrays(9_990)}}`;
  expect(fromChatRequest({ ...chat, json_schema: schema }).request.responseFormat?.type).toBe('json-schema');
  const text = arrays(maxArgumentValues / 2 - 2);
  const { messages } = fromChatRequest(withCalls(text)).request;
  expect(messages[1]).toMatchObject({ toolCalls: [{ arguments: text }] });
});

describe('a count of JSON text', () => {
  it('ends at the first part that is too much', () => {
    const push = vi.spyOn(JsonCounter.prototype, 'push');
    expect(countJson(huge, { values: 20 }).fault).toBe('expected at most 20 values');
    expect(countJson('['.repeat(5_000_000), { values: Infinity }).fault).toMatch(/512 levels/);
    expect(push).toHaveBeenCalledTimes(2);
  });

  it.each([
    ['escapes', `["${String.raw`\"`.repeat(100_000)}", "[,"]`, 2],
    ['letters of several bytes', `["${'é😀'.repeat(50_000)}", 1]`, 2],
    ['a pair that is cut', `["${'x'.repeat(21_842)}😀", 1, 2]`, 3],
  ])('skips strings: %s', (_name, text, values) => {
    expect(countJson(text, { values: 10 })).toMatchObject({ fault: undefined, counter: { values } });
    expect(parseBounded(text, { values: 10 })).toEqual(JSON.parse(text));
  });
});
