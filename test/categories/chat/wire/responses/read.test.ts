import { describe, expect, it } from 'vitest';
import { fromResponsesRequest } from '../../../../../src/categories/chat/wire/responses/read.ts';

const least = { model: 'm', input: 'Hello' };
const read = (additions: object) => fromResponsesRequest({ ...least, ...additions });
const schema = { type: 'object', properties: { city: { type: 'string' } } };
const time = { type: 'function', name: 'time', parameters: schema };
const call = (id: string) => ({ type: 'function_call', call_id: id, name: 'time', arguments: '{}' });
const output = (id: string, text: unknown = '12:30') => ({
  type: 'function_call_output',
  call_id: id,
  output: text,
});
const toolCall = (id: string) => ({ id, name: 'time', arguments: '{}' });
const toolMessage = (id: string, content: unknown = '12:30') => ({ role: 'tool', content, toolCallId: id });
const asks = { role: 'user', content: 'What time is it?' };
const said = (text: string) => ({ type: 'output_text', text, annotations: [], logprobs: [] });
const thought = {
  id: 'rs_1',
  type: 'reasoning',
  summary: [],
  content: [{ type: 'reasoning_text', text: 'Hm' }],
};

const conversations: [title: string, input: unknown, messages: object[]][] = [
  ['a text', 'Hello', [{ role: 'user', content: 'Hello' }]],
  ['a message without type', [asks], [asks]],
  [
    'parts',
    [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'Hello' }] }],
    [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }],
  ],
  [
    'a system and a developer message',
    [{ role: 'system', content: 'A' }, { role: 'developer', content: 'B' }, asks],
    [{ role: 'system', content: 'A' }, { role: 'system', content: 'B' }, asks],
  ],
  [
    'an answer as it came, and a refusal',
    [
      asks,
      { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [said('Noon.')] },
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ],
    [
      asks,
      { role: 'assistant', content: [{ type: 'text', text: 'Noon.' }] },
      { role: 'assistant', content: [{ type: 'text', text: 'No.' }] },
    ],
  ],
  [
    'parallel calls and their outputs',
    [asks, call('a'), call('b'), output('a'), output('b', [{ type: 'input_text', text: '12:30' }])],
    [
      asks,
      { role: 'assistant', content: null, toolCalls: [toolCall('a'), toolCall('b')] },
      toolMessage('a'),
      toolMessage('b', [{ type: 'text', text: '12:30' }]),
    ],
  ],
  [
    'calls one after the other',
    [asks, call('a'), output('a'), call('b'), output('b')],
    [
      asks,
      { role: 'assistant', content: null, toolCalls: [toolCall('a')] },
      toolMessage('a'),
      { role: 'assistant', content: null, toolCalls: [toolCall('b')] },
      toolMessage('b'),
    ],
  ],
  [
    'reasoning, text and a call as one message',
    [asks, thought, { role: 'assistant', content: 'Wait.' }, call('a'), output('a')],
    [
      asks,
      { role: 'assistant', content: 'Wait.', reasoningContent: 'Hm', toolCalls: [toolCall('a')] },
      toolMessage('a'),
    ],
  ],
  [
    'reasoning between calls',
    [asks, thought, call('a'), { ...thought, id: 'rs_2' }, call('b'), output('a'), output('b')],
    [
      asks,
      {
        role: 'assistant',
        content: null,
        reasoningContent: 'HmHm',
        toolCalls: [toolCall('a'), toolCall('b')],
      },
      toolMessage('a'),
      toolMessage('b'),
    ],
  ],
  [
    'reasoning before a call',
    [asks, thought, call('a'), output('a')],
    [
      asks,
      { role: 'assistant', content: null, reasoningContent: 'Hm', toolCalls: [toolCall('a')] },
      toolMessage('a'),
    ],
  ],
];

describe('fromResponsesRequest', () => {
  it.each(conversations)('input: %s', (_title, input, messages) => {
    expect(read({ input }).request.messages).toEqual(messages);
  });

  it.each([
    [
      'instructions',
      { instructions: 'Be short.' },
      {
        messages: [
          { role: 'system', content: 'Be short.' },
          { role: 'user', content: 'Hello' },
        ],
      },
    ],
    ['max_output_tokens', { max_output_tokens: 7 }, { maxTokens: 7 }],
    ['temperature and top_p', { temperature: 1, top_p: 0.5 }, { temperature: 1, topP: 0.5 }],
    ['fields beyond the published ones', { top_k: 40, seed: 3, stop: 'x' }, { topK: 40, seed: 3, stop: 'x' }],
    ['a tool', { tools: [time] }, { tools: [{ name: 'time', parameters: schema }] }],
    ['a strict tool', { tools: [{ ...time, strict: true }] }, { tools: [{ name: 'time', strict: true }] }],
    ['tool_choice required', { tools: [time], tool_choice: 'required' }, { toolChoice: 'required' }],
    [
      'a named tool',
      { tools: [time], tool_choice: { type: 'function', name: 'time' } },
      { toolChoice: { name: 'time' } },
    ],
    ['parallel_tool_calls', { parallel_tool_calls: false }, { parallelToolCalls: false }],
    ['text', { text: { format: { type: 'text' } } }, { responseFormat: { type: 'text' } }],
    [
      'a JSON object',
      { text: { format: { type: 'json_object' } } },
      { responseFormat: { type: 'json-object' } },
    ],
    [
      'a schema',
      { text: { format: { type: 'json_schema', name: 'city', schema, strict: true } } },
      { responseFormat: { type: 'json-schema', schema } },
    ],
    ['log probabilities', { include: ['message.output_text.logprobs'] }, { logprobs: true }],
    ['top_logprobs', { top_logprobs: 2 }, { logprobs: true, topLogprobs: 2 }],
    ['reasoning.effort', { reasoning: { effort: 'low' } }, { reasoningEffort: 'low' }],
    ['enable_thinking', { enable_thinking: false }, { enableThinking: false }],
    ['include_reasoning', { include_reasoning: false }, { includeReasoning: false }],
  ])('%s', (_title, additions, expected) => {
    expect(read(additions).request).toMatchObject(expected);
  });

  it.each([
    { store: false },
    { store: null, previous_response_id: null, conversation: null },
    { text: { verbosity: 'medium' }, max_tool_calls: 3 },
    { tools: [{ type: 'web_search' }, { type: 'custom', name: 'a' }] },
    { include: ['web_search_call.action.sources', 'file_search_call.results'] },
    { background: false },
    { truncation: 'disabled' },
    { include: ['reasoning.encrypted_content'] },
    { reasoning: { summary: 'auto' } },
    { metadata: { a: 'b' }, user: 'me', prompt_cache_key: 'k', safety_identifier: 's', service_tier: 'auto' },
    { stream: true, stream_options: { include_obfuscation: false } },
  ])('takes %j and asks for nothing else', (additions) => {
    const { logprobs: _, ...request } = read(additions).request;
    expect(request).toEqual((({ logprobs: __, ...plain }) => plain)(read({}).request));
  });

  it.each([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['store', { store: true }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'p' } }],
    ['truncation', { truncation: 'auto' }],
    ['moderation', { moderation: { model: 'm' } }],
    ['context_management', { context_management: [{ type: 'compaction' }] }],
    ['messages', { messages: [] }],
    ['response_format', { response_format: { type: 'text' } }],
    ['n', { n: 2 }],
    ['text.verbosity', { text: { verbosity: 'low' } }],
    ['reasoning_effort', { reasoning_effort: 'low' }],
    ['guided_whitespace_pattern', { guided_whitespace_pattern: ' ' }],
    [
      'input[0].content[1]',
      {
        input: [
          {
            role: 'assistant',
            content: [
              { type: 'output_text', text: 'a' },
              { type: 'input_image', image_url: 'data:' },
            ],
          },
        ],
      },
    ],
    ['input[0].content[0]', { input: [{ role: 'user', content: [{ type: 'input_file', file_id: 'f' }] }] }],
    ['input[1]', { input: [asks, { type: 'item_reference', id: 'msg_1' }] }],
    ['input[0]', { input: [{ type: 'web_search_call', id: 'ws_1' }] }],
  ])('%s is not offered', (param, additions) => {
    expect(() => read(additions)).toThrow(expect.objectContaining({ code: 'unsupported_feature', param }));
  });

  it.each([
    { input: [asks, { type: 'item_reference', id: 'msg_1' }] },
    { previous_response_id: 'resp_1' },
    { store: true },
  ])('%j: says which option keeps responses', (additions) => {
    expect(() => read(additions)).toThrow(
      /`keepResponses` is off\), so send the whole conversation as `input`\.$/,
    );
  });

  it('pictures of results follow the results of a turn', () => {
    const picture = { type: 'input_image', image_url: 'data:image/png;base64,AA', detail: 'low' };
    const input = [
      asks,
      call('a'),
      call('b'),
      output('a', [{ type: 'input_text', text: 'The clock:' }, picture]),
      output('b', [picture]),
      asks,
    ];
    const shown = { type: 'image', image: 'data:image/png;base64,AA', detail: 'low' };
    const { request, fieldOf } = read({ input });
    const places = request.messages.map((_, index) => fieldOf(`messages[${index}]`));
    expect(request.messages.slice(2)).toEqual([
      toolMessage('a', [{ type: 'text', text: 'The clock:' }]),
      toolMessage('b', []),
      { role: 'user', content: [shown, shown] },
      asks,
    ]);
    expect(places).toEqual(['input[0]', 'input[1]', 'input[3]', 'input[4]', 'input[3].output', 'input[5]']);
  });

  describe('tools of a namespace', () => {
    const files = {
      type: 'namespace',
      name: 'mcp__files',
      description: 'Files.',
      tools: [time, { type: 'custom' }],
    };

    it('are shown to the model as functions', () => {
      const { request, tools } = read({ tools: [time, files, { type: 'local_shell' }] });
      expect(request.tools!.map(({ name }) => name)).toEqual(['time', 'mcp__files__time']);
      expect(tools.skipped).toEqual(['custom', 'local_shell']);
      expect([...tools.namespaced]).toEqual([
        ['mcp__files__time', { namespace: 'mcp__files', name: 'time' }],
      ]);
    });

    it('have that name in calls and choices, too', () => {
      const { request } = read({
        tools: [files],
        tool_choice: { type: 'function', namespace: 'mcp__files', name: 'time' },
        input: [asks, { ...call('a'), namespace: 'mcp__files' }, output('a')],
      });
      expect(request.toolChoice).toEqual({ name: 'mcp__files__time' });
      expect(request.messages[1]).toMatchObject({ toolCalls: [{ name: 'mcp__files__time' }] });
    });
  });

  describe('allowed tools', () => {
    const allow = (mode: string, ...allowed: object[]) =>
      read({
        tools: [time, { ...time, name: 'news' }],
        tool_choice: { type: 'allowed_tools', mode, tools: allowed },
      }).request;
    const news = { type: 'function', name: 'news' };
    const search = { type: 'web_search' };

    it('are the ones that the model is shown', () => {
      expect(allow('required', news, search)).toMatchObject({
        tools: [{ name: 'news' }],
        toolChoice: 'required',
      });
    });

    it('of other types are none', () => {
      expect(allow('auto', search).toolChoice).toBe('none');
      expect(() => allow('required', search)).toThrow(
        expect.objectContaining({ param: 'tool_choice.tools' }),
      );
    });
  });

  it.each([
    ['model', { model: undefined }],
    ['input', { input: undefined }],
    ['input', { input: [] }],
    ['input', { input: [thought] }],
    ['input', { input: 7 }],
    ['input[0].role', { input: [{ role: 'tool', content: 'a' }] }],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'time', arguments: '{}' }] }],
    ['input[0].encrypted_content', { input: [{ ...thought, content: [], encrypted_content: 'abc' }] }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['temperature', { temperature: 3 }],
    ['tools[1].name', { tools: [time, time] }],
    ['tools[0].type', { tools: [{ type: 'functoin', name: 'a' }] }],
    ['tools[0].type', { tools: [{ name: 'a' }] }],
    ['tools[0].tools[0].name', { tools: [{ type: 'namespace', name: 'a', tools: [{ type: 'function' }] }] }],
    ['tools[0].name', { tools: [{ type: 'function', name: 'no space' }] }],
    ['tool_choice', { tool_choice: 'maybe' }],
    ['tool_choice.tools', { tools: [time], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'a' } } }],
    ['include[0]', { include: ['everything'] }],
    ['reasoning.summary', { reasoning: { summary: 'detailed' } }],
    ['metadata.a', { metadata: { a: 1 } }],
  ])('names %s', (param, additions) => {
    expect(() => read(additions)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});
