import { describe, expect, it } from 'vitest';
import { fromResponsesRequest } from '../../../../../src/categories/chat/wire/responses/from-request.ts';

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
    [asks, thought, call('a'), thought, call('b'), output('a'), output('b')],
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
    ['max_tokens', { max_tokens: 3 }],
    ['response_format', { response_format: { type: 'text' } }],
    ['n', { n: 2 }],
    ['text.verbosity', { text: { verbosity: 'low' } }],
    ['reasoning_effort', { reasoning_effort: 'low' }],
    ['guided_json', { guided_json: {} }],
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
    ['tools[0]', { tools: [{ type: 'web_search' }] }],
  ])('%s is not offered', (param, additions) => {
    expect(() => read(additions)).toThrow(expect.objectContaining({ code: 'unsupported_feature', param }));
  });

  it('says what to send in place of a reference', () => {
    const input = [asks, { type: 'item_reference', id: 'msg_1' }];
    expect(() => read({ input })).toThrow(/: nothing is stored, so send the item itself\.$/);
  });

  it.each([
    ['model', { model: undefined }],
    ['input', { input: undefined }],
    ['input', { input: [] }],
    ['input', { input: [thought] }],
    ['input', { input: 7 }],
    ['input[0].role', { input: [{ role: 'tool', content: 'a' }] }],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'time', arguments: '{}' }] }],
    ['input[0].encrypted_content', { input: [{ ...thought, encrypted_content: 'abc' }] }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['temperature', { temperature: 3 }],
    ['tools[1].name', { tools: [time, time] }],
    ['tools[0].name', { tools: [{ type: 'function', name: 'no space' }] }],
    ['tool_choice', { tool_choice: 'maybe' }],
    ['tool_choice.type', { tools: [time], tool_choice: { type: 'allowed_tools', mode: 'auto', tools: [] } }],
    ['text.format.schema', { text: { format: { type: 'json_schema', name: 'a' } } }],
    ['include[0]', { include: ['file_search_call.results'] }],
    ['reasoning.summary', { reasoning: { summary: 'detailed' } }],
    ['metadata.a', { metadata: { a: 1 } }],
  ])('names %s', (param, additions) => {
    expect(() => read(additions)).toThrow(expect.objectContaining({ code: 'invalid_request', param }));
  });
});
