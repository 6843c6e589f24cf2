import { describe, expect, it } from 'vitest';
import {
  fromMessagesRequest,
  toAskedRequest,
} from '../../../../../src/categories/chat/wire/messages/read.ts';

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
      logit_bias: { 5: 2 },
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
      logitBias: new Map([[5, 2]]),
      includeReasoning: true,
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

describe('thinking', () => {
  const info = { id: 'm', name: 'm', category: 'chat', contextLength: 9, created: 0, ownedBy: 'slashv1' };
  const model = {
    'with a switch': { ...info, foreignParameters: [] },
    'without one': { ...info, foreignParameters: ['enableThinking'] },
    'that is set to think': { ...info, foreignParameters: [], defaults: { enableThinking: true } },
    'that is not loaded': info,
    'of another server': { ...info, foreignParameters: [], ownedBy: 'remote' },
  };
  it.each<[keyof typeof model, object, boolean | undefined, boolean]>([
    ['with a switch', { thinking: { type: 'enabled' } }, true, true],
    ['with a switch', { thinking: { type: 'disabled' } }, false, true],
    ['with a switch', { thinking: { type: 'adaptive' } }, undefined, true],
    ['with a switch', {}, false, false],
    ['with a switch', { output_config: { effort: 'low' } }, undefined, false],
    ['without one', { thinking: { type: 'enabled' } }, undefined, true],
    ['without one', {}, undefined, false],
    ['that is set to think', {}, undefined, false],
    ['that is not loaded', { thinking: { type: 'enabled' } }, undefined, true],
    ['of another server', {}, undefined, false],
  ])('of a model %s: %j', (name, body, enableThinking, includeReasoning) => {
    const asked = toAskedRequest(fromMessagesRequest({ ...least, ...body }), model[name]);
    expect([asked.enableThinking, asked.includeReasoning]).toEqual([enableThinking, includeReasoning]);
  });
});

it('goes on where the last message of the assistant ends', () => {
  const asked = { role: 'user', content: 'Hi' };
  const use = { type: 'tool_use', id: 't', name: 'get_weather', input: {} };
  const continues = (...messages: object[]) => requestOf({ messages }).continueFinalMessage;
  expect(continues(asked, { role: 'assistant', content: 'The answer is (' })).toBe(true);
  expect(continues(asked, { role: 'assistant', content: [{ type: 'text', text: 'A' }] })).toBe(true);
  expect(continues(asked, { role: 'assistant', content: [use] })).toBe(false);
  expect(continues(asked)).toBe(false);
});

describe('output_config', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } };

  it('sets the format of the answer and the effort', () => {
    const request = requestOf({ output_config: { format: { type: 'json_schema', schema }, effort: 'low' } });
    expect(request).toMatchObject({
      responseFormat: { type: 'json-schema', schema },
      reasoningEffort: 'low',
    });
  });

  it('asks for nothing by the effort that is the default elsewhere', () => {
    expect(requestOf({ output_config: { effort: 'high' } })).toEqual(requestOf({}));
  });

  it.each([
    [{ effort: 'huge' }, {}, 'output_config.effort'],
    [{ format: { type: 'text' } }, {}, 'output_config.format.type'],
    [{ format: { type: 'json_schema', schema } }, { guided_regex: 'a' }, 'guided_regex'],
  ])('names what is wrong with %j and %j', (output_config, others, param) => {
    expect(() => requestOf({ output_config, ...others })).toThrow(
      expect.objectContaining({ code: 'invalid_request', param }),
    );
  });
});

describe('context_management', () => {
  const keep = (edits: unknown) => () => requestOf({ context_management: { edits } });

  it('may keep the whole conversation', () => {
    expect(keep([{ type: 'clear_thinking_20251015', keep: 'all' }])).not.toThrow();
  });

  it.each([
    [[{ type: 'clear_thinking_20251015' }]],
    [[{ type: 'clear_tool_uses_20250919', keep: 'all' }]],
    [[{ type: 'clear_thinking_20251015', keep: { type: 'thinking_turns', value: 1 } }]],
    ['all'],
  ])('leaves nothing out: %j', (edits) => {
    expect(keep(edits)).toThrow(
      expect.objectContaining({ code: 'unsupported_feature', param: 'context_management' }),
    );
  });
});

describe('turns', () => {
  it('of the system, between others', () => {
    const system = { role: 'system', content: [{ type: 'text', text: 'Be brief.' }] };
    const asked = { role: 'user', content: 'Hi' };
    expect(turns(asked, system, asked)).toMatchObject([
      asked,
      { role: 'system', content: 'Be brief.' },
      asked,
    ]);
    const image = { type: 'image', source: { type: 'url', url: 'data:image/png;base64,AA==' } };
    expect(() => turns(asked, { role: 'system', content: [image] })).toThrow(
      expect.objectContaining({ param: 'messages[1].content[0]' }),
    );
  });

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
    [{ messages: [{ role: 'developer', content: 'a' }] }, 'messages[0].role'],
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
