import { describe, expect, it } from 'vitest';
import { fromMessagesRequest } from '../../../../../src/categories/chat/wire/messages/from-request.ts';

const least = { model: 'm', max_tokens: 64, messages: [{ role: 'user', content: 'Hi' }] };
const requestOf = (body: object) => fromMessagesRequest({ ...least, ...body }).request;
const turns = (...messages: object[]) => requestOf({ messages }).messages;
const weather = { name: 'get_weather', input_schema: { type: 'object', properties: {} } };

describe('fields', () => {
  it('become those of a chat request', () => {
    const { request, stream } = fromMessagesRequest({
      ...least,
      stream: true,
      system: [
        { type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } },
        { type: 'text', text: 'Be kind.' },
      ],
      stop_sequences: ['END'],
      temperature: 0.2,
      top_k: 7,
      min_p: 0.1,
      metadata: { user_id: 'u' },
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
    expect(stream).toBe(true);
    expect(request).toMatchObject({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.\nBe kind.' },
        { role: 'user', content: 'Hi' },
      ],
      maxTokens: 64,
      stop: ['END'],
      temperature: 0.2,
      topK: 7,
      minP: 0.1,
      enableThinking: true,
    });
  });

  it.each([
    [{ type: 'auto' }, 'auto', undefined],
    [{ type: 'any' }, 'required', undefined],
    [{ type: 'none' }, 'none', undefined],
    [{ type: 'tool', name: 'get_weather', disable_parallel_tool_use: true }, { name: 'get_weather' }, false],
    [{ type: 'auto', disable_parallel_tool_use: false }, 'auto', true],
  ])('tool_choice %j', (tool_choice, toolChoice, parallelToolCalls) => {
    const request = requestOf({ tools: [weather], tool_choice });
    expect(request).toMatchObject({
      toolChoice,
      tools: [{ name: 'get_weather', parameters: weather.input_schema }],
    });
    expect(request.parallelToolCalls).toBe(parallelToolCalls);
  });
});

describe('turns', () => {
  it('with calls, their results and thoughts', () => {
    const messages = turns(
      { role: 'user', content: 'Weather?' },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: '' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 'a', name: 'get_weather', input: { city: 'Paris' } },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Go on.' },
          {
            type: 'tool_result',
            tool_use_id: 'a',
            is_error: true,
            content: [{ type: 'text', text: 'timeout' }],
          },
        ],
      },
    );
    expect(messages.slice(1)).toEqual([
      {
        role: 'assistant',
        content: 'I look.',
        reasoningContent: 'Hm.',
        toolCalls: [{ id: 'a', name: 'get_weather', arguments: '{"city":"Paris"}' }],
      },
      { role: 'tool', toolCallId: 'a', content: 'Error: timeout', name: undefined },
      { role: 'user', content: [{ type: 'text', text: 'Go on.' }], name: undefined },
    ]);
  });

  it('with pictures, also in results', () => {
    const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
    const [, , result, pictures] = turns(
      {
        role: 'user',
        content: [picture, { type: 'image', source: { type: 'url', url: 'https://a/b.png' } }],
      },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'look', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content: [picture] }] },
    );
    expect(result).toMatchObject({ role: 'tool', content: '' });
    expect(pictures).toMatchObject({ content: [{ type: 'image', image: 'data:image/png;base64,AAAA' }] });
  });
});

describe('faults name the field of this dialect', () => {
  it.each([
    [{ messages: [] }, 'messages'],
    [{ max_tokens: 0 }, 'max_tokens'],
    [{ stop_sequences: ['a', 'b', 'c', 'd', 'e'] }, 'stop_sequences'],
    [{ tools: [{ ...weather, input_schema: 1 }] }, 'tools[0].input_schema'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools[0].type'],
    [{ tools: [weather, weather] }, 'tools[1].name'],
    [{ tool_choice: 'auto' }, 'tool_choice'],
    [{ response_format: { type: 'json_object' } }, 'response_format'],
    [{ messages: [{ role: 'system', content: 'a' }] }, 'messages[0].role'],
    [
      { messages: [{ role: 'user', content: [{ type: 'tool_use', id: 'a', name: 'b', input: {} }] }] },
      'messages[0].content[0]',
    ],
    [
      { messages: [{ role: 'assistant', content: [{ type: 'image', source: { type: 'url', url: 'a' } }] }] },
      'messages[0].content[0]',
    ],
    [{ messages: [{ role: 'user', content: [{ type: 'document' }] }] }, 'messages[0].content[0]'],
    [
      {
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [] },
        ],
      },
      undefined,
    ],
  ])('%j', (body, param) => {
    const read = () => fromMessagesRequest({ ...least, ...body });
    if (param === undefined) expect(read).not.toThrow();
    else expect(read).toThrow(expect.objectContaining({ param }));
  });
});
