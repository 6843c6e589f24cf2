import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../../../../src/errors.ts';
import { fromChatRequest } from '../../../../../src/categories/chat/wire/chat/read.ts';
import { chatBody } from '../../../../server/support.ts';

function faultOf(body: unknown): Pick<InferenceError, 'code' | 'param' | 'message'> {
  try {
    fromChatRequest(body);
  } catch (error) {
    if (InferenceError.isInstance(error)) return error;
    throw error;
  }
  throw new Error('expected an error');
}

const messagesOf = (...messages: unknown[]): unknown =>
  fromChatRequest({ model: 'm', messages }).request.messages;

describe('messages', () => {
  it.each([
    ['system', { role: 'system', content: 'a' }, { role: 'system', content: 'a' }],
    ['developer', { role: 'developer', content: 'a' }, { role: 'system', content: 'a' }],
    ['user', { role: 'user', content: 'a', name: 'Ada' }, { role: 'user', content: 'a', name: 'Ada' }],
    [
      'parts',
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ],
    ['no parts', { role: 'user', content: [] }, { role: 'user', content: [] }],
    ['assistant', { role: 'assistant', content: 'a', refusal: null }, { role: 'assistant', content: 'a' }],
    [
      'reasoning',
      { role: 'assistant', content: 'a', reasoning_content: 'r', tool_calls: null },
      { role: 'assistant', content: 'a', reasoningContent: 'r' },
    ],
    [
      'reasoning under its other name',
      { role: 'assistant', content: 'a', reasoning: 'r' },
      { role: 'assistant', content: 'a', reasoningContent: 'r' },
    ],
    [
      'reasoning under both names',
      { role: 'assistant', content: 'a', reasoning_content: 'r', reasoning: 'r' },
      { role: 'assistant', content: 'a', reasoningContent: 'r' },
    ],
    [
      'tool calls',
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
      },
      { role: 'assistant', content: null, toolCalls: [{ id: 'c', name: 'f', arguments: '{"a":1}' }] },
    ],
    [
      'tool',
      { role: 'tool', content: '3', tool_call_id: 'c' },
      { role: 'tool', content: '3', toolCallId: 'c' },
    ],
  ])('maps %s', (_name, wire, message) => {
    expect(messagesOf(wire)).toEqual([message]);
  });

  it.each([
    ['none', [], 'messages'],
    ['no array', 'Hello', 'messages'],
    ['no object', ['Hello'], 'messages[0]'],
    ['null', [null], 'messages[0]'],
    ['no role', [{ content: 'a' }], 'messages[0].role'],
    [
      'an unknown role',
      [
        { role: 'user', content: 'a' },
        { role: 'robot', content: 'a' },
      ],
      'messages[1].role',
    ],
    ['the old function role', [{ role: 'function', name: 'f', content: 'a' }], 'messages[0].role'],
    ['no content', [{ role: 'user' }], 'messages[0].content'],
    ['content of null', [{ role: 'user', content: null }], 'messages[0].content'],
    ['content of a number', [{ role: 'user', content: 7 }], 'messages[0].content'],
    ['a part without text', [{ role: 'user', content: [{ type: 'text' }] }], 'messages[0].content[0].text'],
    ['a part without type', [{ role: 'user', content: [{ text: 'a' }] }], 'messages[0].content[0].type'],
    ['a part of text', [{ role: 'user', content: ['a'] }], 'messages[0].content[0]'],
    ['a name of a number', [{ role: 'user', content: 'a', name: 1 }], 'messages[0].name'],
    ['an empty assistant', [{ role: 'assistant' }], 'messages[0].content'],
    [
      'an assistant without calls',
      [{ role: 'assistant', content: null, tool_calls: [] }],
      'messages[0].content',
    ],
    [
      'an old function call',
      [{ role: 'assistant', content: 'a', function_call: {} }],
      'messages[0].function_call',
    ],
    [
      'a call without id',
      [{ role: 'assistant', tool_calls: [{ type: 'function', function: { name: 'f', arguments: '' } }] }],
      'messages[0].tool_calls[0].id',
    ],
    [
      'arguments as an object',
      [{ role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f', arguments: {} } }] }],
      'messages[0].tool_calls[0].function.arguments',
    ],
    ['a tool without call id', [{ role: 'tool', content: 'a' }], 'messages[0].tool_call_id'],
  ])('refuses %s', (_name, messages, param) => {
    expect(faultOf({ model: 'm', messages })).toMatchObject({ code: 'invalid_request', param });
  });

  it.each(['image', 'input_audio', 'file', 'video_url'])('has no parts of type %s', (type) => {
    const content = [
      { type: 'text', text: 'a' },
      { type, [type]: {} },
    ];
    const fault = faultOf({ model: 'm', messages: [{ role: 'user', content }] });
    expect(fault).toMatchObject({ code: 'unsupported_feature', param: 'messages[0].content[1]' });
  });
});

describe('pictures', () => {
  const text = { type: 'text', text: 'a' };
  const url = 'https://example.com/a.png';
  const read = (content: unknown, role = 'user') =>
    fromChatRequest({ model: 'm', messages: [{ role, content }] });

  it('stay in their places', () => {
    const content = [
      { type: 'image_url', image_url: { url } },
      text,
      { type: 'image_url', image_url: { url: 'aGk=', detail: 'low' } },
    ];
    expect(read(content).request.messages[0]!.content).toEqual([
      { type: 'image', image: url },
      text,
      { type: 'image', image: 'aGk=', detail: 'low' },
    ]);
  });

  it.each([
    ['no URL', { type: 'image_url' }, 'messages[0].content[0].image_url'],
    ['a URL alone', { type: 'image_url', image_url: url }, 'messages[0].content[0].image_url'],
    ['an empty URL', { type: 'image_url', image_url: { url: '' } }, 'messages[0].content[0].image_url.url'],
    [
      'another detail',
      { type: 'image_url', image_url: { url, detail: 'most' } },
      'messages[0].content[0].image_url.detail',
    ],
  ])('with %s are refused', (_name, part, param) => {
    expect(faultOf({ model: 'm', messages: [{ role: 'user', content: [part] }] })).toMatchObject({ param });
  });

  it.each(['system', 'assistant'])('have no place in messages of the %s', (role) => {
    const messages = [{ role, content: [{ type: 'image_url', image_url: { url } }] }];
    expect(faultOf({ model: 'm', messages })).toMatchObject({
      code: 'unsupported_feature',
      param: 'messages[0].content[0]',
    });
  });
});

describe('stop', () => {
  it.each([
    ['a', 'a'],
    [
      ['a', 'b', 'c', 'd'],
      ['a', 'b', 'c', 'd'],
    ],
    [[], []],
    [null, undefined],
  ])('%j → %j', (stop, expected) => {
    expect(fromChatRequest(chatBody({ stop })).request.stop).toEqual(expected);
  });

  it.each([
    [['a', 'b', 'c', 'd', 'e'], 'stop'],
    ['', 'stop'],
    [7, 'stop'],
    [{}, 'stop'],
    [['a', ''], 'stop[1]'],
    [[1], 'stop[0]'],
  ])('refuses %j', (stop, param) => {
    expect(faultOf(chatBody({ stop }))).toMatchObject({ code: 'invalid_request', param });
  });
});

describe('tools', () => {
  const tool = (name: string, rest: object = {}): object => ({
    type: 'function',
    function: { name, ...rest },
  });

  it('maps definitions', () => {
    const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const tools = [tool('weather', { description: 'Weather', parameters }), tool('time-2')];
    expect(fromChatRequest(chatBody({ tools, tool_choice: 'none' })).request).toMatchObject({
      tools: [{ name: 'weather', description: 'Weather', parameters }, { name: 'time-2' }],
      toolChoice: 'none',
    });
  });

  it.each([
    ['no array', {}, 'tools'],
    ['another type', [{ type: 'custom' }], 'tools[0].type'],
    ['no function', [{ type: 'function' }], 'tools[0].function'],
    ['no name', [{ type: 'function', function: {} }], 'tools[0].function.name'],
    ['a bad name', [tool('a b')], 'tools[0].function.name'],
    ['a long name', [tool('a'.repeat(65))], 'tools[0].function.name'],
    ['a name twice', [tool('a'), tool('b'), tool('a')], 'tools[2].function.name'],
    ['parameters of text', [tool('a', { parameters: 'x' })], 'tools[0].function.parameters'],
    ['parameters of an array', [tool('a', { parameters: [] })], 'tools[0].function.parameters'],
  ])('refuses %s', (_name, tools, param) => {
    expect(faultOf(chatBody({ tools }))).toMatchObject({ code: 'invalid_request', param });
  });

  it.each([65, 66, 100_000])('accepts 65 levels of a schema, got %d', (levels) => {
    const parameters: unknown = JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
    const body = chatBody({ tools: [tool('a', { parameters })] });
    if (levels <= 65) expect(fromChatRequest(body).request.tools![0]!.parameters).toEqual(parameters);
    else
      expect(faultOf(body)).toMatchObject({ code: 'invalid_request', param: 'tools[0].function.parameters' });
  });

  it.each([
    ['required', 'required'],
    [{ type: 'function', function: { name: 'weather' } }, { name: 'weather' }],
  ])('maps the choice %j', (tool_choice, toolChoice) => {
    const body = chatBody({ tools: [tool('weather')], tool_choice, parallel_tool_calls: false });
    expect(fromChatRequest(body).request).toMatchObject({ toolChoice, parallelToolCalls: false });
  });

  it.each([
    ['sometimes', 'tool_choice'],
    [7, 'tool_choice'],
    [{ type: 'function' }, 'tool_choice.function'],
    [{ type: 'allowed_tools' }, 'tool_choice.allowed_tools'],
  ])('refuses the choice %j', (tool_choice, param) => {
    expect(faultOf(chatBody({ tool_choice }))).toMatchObject({ code: 'invalid_request', param });
  });
});

describe('response_format', () => {
  const schema = { type: 'object', properties: { a: { type: 'integer' } } };

  it.each([
    [{ type: 'text' }, { type: 'text' }],
    [{ type: 'json_object' }, { type: 'json-object' }],
    [{ type: 'json_object', schema: null }, { type: 'json-object' }],
    [
      { type: 'json_object', schema },
      { type: 'json-schema', schema },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } },
      { type: 'json-schema', schema },
    ],
  ])('maps %j', (response_format, responseFormat) => {
    expect(fromChatRequest(chatBody({ response_format })).request).toMatchObject({ responseFormat });
  });

  it.each([
    ['text', 'response_format'],
    [{ type: 'xml' }, 'response_format.type'],
    [{ type: 'json_object', schema: 'x' }, 'response_format.schema'],
    [{ type: 'text', schema: {} }, 'response_format.schema'],
    [{ type: 'json_schema' }, 'response_format.json_schema'],
    [{ type: 'json_schema', json_schema: { name: 'a' } }, 'response_format.json_schema.schema'],
    [{ type: 'json_schema', json_schema: { schema: 'x' } }, 'response_format.json_schema.schema'],
  ])('refuses %j', (response_format, param) => {
    expect(faultOf(chatBody({ response_format }))).toMatchObject({ code: 'invalid_request', param });
  });

  it.each([66, 1000, 100_000])('refuses a schema of %d levels', (levels) => {
    const deep: unknown = JSON.parse(`${'{"a":'.repeat(levels - 1)}{}${'}'.repeat(levels - 1)}`);
    const response_format = { type: 'json_schema', json_schema: { name: 'a', schema: deep } };
    const param = 'response_format.json_schema.schema';
    expect(faultOf(chatBody({ response_format }))).toMatchObject({ code: 'invalid_request', param });
  });

  it('refuses a schema of 20,001 values', () => {
    const response_format = { type: 'json_schema', json_schema: { schema: { enum: Array(20_000).fill(1) } } };
    const param = 'response_format.json_schema.schema';
    expect(faultOf(chatBody({ response_format }))).toMatchObject({ code: 'invalid_request', param });
  });
});

describe('an answer as it came', () => {
  const answer = (message: object) =>
    fromChatRequest(chatBody({ messages: [{ role: 'assistant', ...message }] })).request.messages[0];

  it.each([
    ['a refusal', { content: null, refusal: 'No.' }, 'No.'],
    ['no refusal', { content: 'Yes.', refusal: null }, 'Yes.'],
    [
      'parts',
      {
        content: [
          { type: 'text', text: 'Yes.' },
          { type: 'refusal', refusal: 'No.' },
        ],
      },
      [
        { type: 'text', text: 'Yes.' },
        { type: 'text', text: 'No.' },
      ],
    ],
  ])('%s', (_title, message, content) => {
    expect(answer(message)).toMatchObject({ role: 'assistant', content });
  });
});

describe('allowed tools', () => {
  const named = (name: string) => ({ type: 'function', function: { name } });
  const tools = ['time', 'weather', 'news'].map(named);
  const read = (allowed_tools: unknown) =>
    fromChatRequest(chatBody({ tools, tool_choice: { type: 'allowed_tools', allowed_tools } })).request;

  it.each(['auto', 'required'])('with %s show the model those alone', (mode) => {
    expect(read({ mode, tools: [named('news'), named('time')] })).toMatchObject({
      tools: [{ name: 'time' }, { name: 'news' }],
      toolChoice: mode,
    });
  });

  it.each([
    [{ mode: 'auto', tools: [named('sports')] }, 'tool_choice'],
    [{ mode: 'auto', tools: [] }, 'tool_choice.allowed_tools.tools'],
    [{ mode: 'none', tools: [named('time')] }, 'tool_choice.allowed_tools.mode'],
  ])('refuses %j', (allowed, param) => {
    expect(() => read(allowed)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});

describe('what the chat template is told', () => {
  it.each([
    [{ documents: [{ title: 't', text: 'x' }] }, { documents: [{ title: 't', text: 'x' }] }],
    [{ chat_template_kwargs: { custom: 1 } }, { chatTemplateKwargs: { custom: 1 } }],
    [{ enable_thinking: false }, { enableThinking: false }],
    [{ reasoning_effort: 'none' }, { reasoningEffort: 'none' }],
    [{ add_generation_prompt: false }, { addGenerationPrompt: false }],
    [{ continue_final_message: true }, { continueFinalMessage: true }],
    [{ include_stop_str_in_output: true }, { includeStopStrInOutput: true }],
    [{ truncate_prompt_tokens: -1 }, { truncatePromptTokens: -1 }],
  ])('maps %j', (additions, request) => {
    expect(fromChatRequest(chatBody(additions)).request).toMatchObject(request);
  });

  it.each([
    [{ documents: ['x'] }, 'documents[0]'],
    [{ documents: {} }, 'documents'],
    [{ chat_template_kwargs: [] }, 'chat_template_kwargs'],
    [{ enable_thinking: 'no' }, 'enable_thinking'],
    [{ reasoning_effort: 1 }, 'reasoning_effort'],
    [{ truncate_prompt_tokens: -2 }, 'truncate_prompt_tokens'],
    [{ truncate_prompt_tokens: 1.5 }, 'truncate_prompt_tokens'],
  ])('refuses %j', (additions, param) => {
    expect(faultOf(chatBody(additions))).toMatchObject({ code: 'invalid_request', param });
  });
});

describe('logit_bias', () => {
  it('maps token ids to numbers', () => {
    const { logitBias } = fromChatRequest(chatBody({ logit_bias: { 0: -100, 50256: 100 } })).request;
    expect(logitBias).toEqual(
      new Map([
        [0, -100],
        [50256, 100],
      ]),
    );
  });

  it.each([
    { a: 1 },
    { '-1': 1 },
    { 1.5: 1 },
    { 1: 100.5 },
    { 1: -101 },
    { 1: '5' },
    { 1: null },
    [1],
    'x',
    7,
  ])('refuses %j', (logit_bias) => {
    expect(faultOf(chatBody({ logit_bias }))).toMatchObject({ code: 'invalid_request', param: 'logit_bias' });
  });
});

describe('stream', () => {
  it.each([
    [{}, false, false],
    [{ stream: null, stream_options: null }, false, false],
    [{ stream: true }, true, false],
    [{ stream: true, stream_options: { include_usage: true } }, true, true],
    [{ stream: true, stream_options: { include_usage: false } }, true, false],
  ])('%j', (additions, stream, includeUsage) => {
    expect(fromChatRequest(chatBody(additions))).toMatchObject({ stream, includeUsage });
  });

  it.each([
    [{ stream: 'true' }, 'stream'],
    [{ stream: 1 }, 'stream'],
    [{ stream_options: { include_usage: true } }, 'stream_options'],
    [{ stream: false, stream_options: {} }, 'stream_options'],
    [{ stream: true, stream_options: { include_usage: 'yes' } }, 'stream_options.include_usage'],
    [{ stream: true, stream_options: [] }, 'stream_options'],
  ])('refuses %j', (additions, param) => {
    expect(faultOf(chatBody(additions))).toMatchObject({ code: 'invalid_request', param });
  });
});

describe('features that are not offered', () => {
  it.each([
    ['functions', [{ name: 'f' }]],
    ['function_call', 'auto'],
    ['modalities', ['text', 'audio']],
    ['audio', { voice: 'x' }],
    ['prediction', { type: 'content', content: '' }],
    ['reasoning', { effort: 'low' }],
    ['thinking', { type: 'disabled' }],
    ['reasoning_format', 'none'],
    ['reasoning_format', 'hidden'],
    ['prompt_logprobs', 0],
    ['prompt_logprobs', 5],
    ['verbosity', 'low'],
    ['web_search_options', {}],
    ['guided_whitespace_pattern', ' '],
  ])('refuses %s: %j', (param, value) => {
    expect(faultOf(chatBody({ [param]: value }))).toMatchObject({ code: 'unsupported_feature', param });
  });

  it('names what to use instead', () => {
    expect(faultOf(chatBody({ functions: [] })).message).toContain('`tools`');
    expect(faultOf(chatBody({ function_call: 'none' })).message).toContain('`tools`');
  });

  it('accepts those that ask for nothing, those that change nothing and those that nobody knows', () => {
    const harmless = {
      functions: null,
      modalities: ['text'],
      reasoning_effort: null,
      reasoning_format: 'auto',
      prompt_logprobs: null,
      user: 'u',
      metadata: { a: 'b' },
      store: true,
      service_tier: 'auto',
      safety_identifier: 's',
      prompt_cache_key: 'p',
      something_new: { a: [1] },
    };
    const { fieldOf: _, ...plain } = fromChatRequest(chatBody());
    expect(fromChatRequest(chatBody(harmless))).toMatchObject(plain);
  });
});

describe('the body as a whole', () => {
  it.each([null, 'x', 7, [], [chatBody()], true])('refuses %j', (body) => {
    expect(faultOf(body)).toMatchObject({ code: 'invalid_request', param: undefined });
  });

  it.each([
    [{ messages: [] }, 'model'],
    [{ model: 7, messages: [] }, 'model'],
    [{ model: 'm' }, 'messages'],
  ])('needs model and messages: %j', (body, param) => {
    expect(faultOf(body)).toMatchObject({ code: 'invalid_request', param });
  });

  it('is not moved by keys with a meaning to JavaScript', () => {
    const evil = '"__proto__":{"polluted":1,"temperature":0},"constructor":{"prototype":{"polluted":1}}';
    const body: unknown = JSON.parse(
      `{${evil},"model":"m","messages":[{${evil},"role":"user","content":"a"}],` +
        `"logit_bias":{},"tools":[{"type":"function","function":{"name":"f","parameters":{${evil}}}}]}`,
    );
    const { request } = fromChatRequest(body);
    expect(request.temperature).toBeUndefined();
    expect(request.messages).toEqual([{ role: 'user', content: 'a' }]);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
    expect(Object.getPrototypeOf(request.tools![0]!.parameters)).toBe(Object.prototype);
  });

  it('checks no further than the first bad item', () => {
    let read = 0;
    const item = {
      get role() {
        read += 1;
        return 'robot';
      },
    };
    expect(faultOf({ model: 'm', messages: Array.from({ length: 1000 }, () => item) }).param).toBe(
      'messages[0].role',
    );
    expect(read).toBeLessThan(10);
  });
});

describe('formats of the answer in the words of other servers', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const ofSchema = { type: 'json-schema', schema };

  it.each<[object, object]>([
    [{ structured_outputs: { json: schema } }, ofSchema],
    [{ structured_outputs: { json: JSON.stringify(schema), regex: null } }, ofSchema],
    [{ structured_outputs: { regex: 'a+' } }, { type: 'regex', regex: 'a+' }],
    [{ structured_outputs: { choice: ['a', ''] } }, { type: 'choice', choices: ['a', ''] }],
    [{ structured_outputs: { grammar: 'root ::= "a"' } }, { type: 'grammar', grammar: 'root ::= "a"' }],
    [{ structured_outputs: { json_object: true } }, { type: 'json-object' }],
    [{ guided_json: schema }, ofSchema],
    [{ guided_regex: 'a+' }, { type: 'regex', regex: 'a+' }],
    [{ guided_choice: ['a'] }, { type: 'choice', choices: ['a'] }],
    [{ guided_grammar: 'root ::= "a"' }, { type: 'grammar', grammar: 'root ::= "a"' }],
    [{ json_schema: schema }, ofSchema],
    [
      { grammar: 'root ::= "a"', response_format: { type: 'text' } },
      { type: 'grammar', grammar: 'root ::= "a"' },
    ],
    [{ grammar: '', response_format: { type: 'text' } }, { type: 'text' }],
  ])('%j', (fields, expected) => {
    expect(fromChatRequest(chatBody(fields)).request.responseFormat).toEqual(expected);
  });

  it.each<[string, object]>([
    ['guided_regex', { response_format: { type: 'json_object' }, guided_regex: 'a' }],
    ['grammar', { json_schema: schema, grammar: 'root ::= "a"' }],
    ['structured_outputs.choice', { structured_outputs: { regex: 'a', choice: ['a'] } }],
    ['structured_outputs.structural_tag', { structured_outputs: { structural_tag: '{}' } }],
    ['structured_outputs.choice', { structured_outputs: { choice: [] } }],
    ['structured_outputs.json', { structured_outputs: { json: '{' } }],
    ['guided_json', { guided_json: '{"a":' }],
    ['guided_json', { guided_json: 7 }],
    ['guided_choice[1]', { guided_choice: ['a', 1] }],
    ['guided_regex', { guided_regex: '' }],
  ])('names %s when it is at fault', (param, fields) => {
    expect(faultOf(chatBody(fields))).toMatchObject({ code: 'invalid_request', param });
  });
});
