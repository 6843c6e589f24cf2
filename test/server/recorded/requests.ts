import { sentForm, uploadOf } from '../forms.ts';
import type { Sent } from '../support.ts';

const picture =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const weather = { name: 'get_weather', description: 'Looks the weather up.', parameters: schema };
const other = { name: 'roll', parameters: { type: 'object', properties: {} } };
const user = (content: unknown) => ({ role: 'user', content });
const hi = [user('Say hello to the world')];
const tool = (definition: object) => ({ type: 'function', function: definition });
const call = (id: string, name = 'get_weather', args = '{"city":"Rom"}') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

/** Bodies for a dialect, by what is special about each; each is sent at once and as a stream where `streams` names it. */
interface Dialect {
  readonly url: string;
  readonly base: object;
  readonly bodies: Readonly<Record<string, object>>;
  readonly streams?: readonly string[];
}

const sampling = {
  temperature: 0.25,
  top_p: 0.5,
  top_k: 7,
  min_p: 0.1,
  seed: 11,
  max_tokens: 9,
  frequency_penalty: 0.5,
  presence_penalty: -0.5,
  repetition_penalty: 1.1,
  logit_bias: { 5: 2 },
  stop: ['END', 'STOP'],
};

const chat: Dialect = {
  url: '/v1/chat/completions',
  base: { model: 'talker', messages: hi },
  streams: [
    'plain',
    'thinks',
    'calls',
    'three answers',
    'logprobs',
    'usage',
    'usage of each chunk',
    'cut off',
    'fails late',
  ],
  bodies: {
    plain: {},
    sampling,
    thinks: { model: 'thinker' },
    'hidden thinking': { model: 'thinker', include_reasoning: false },
    calls: { model: 'caller', tools: [tool(weather), tool(other)] },
    'required call': {
      model: 'caller',
      tools: [tool(weather)],
      tool_choice: 'required',
      parallel_tool_calls: false,
    },
    'named call': { model: 'caller', tools: [tool(weather)], tool_choice: tool({ name: 'get_weather' }) },
    'allowed tools': {
      model: 'caller',
      tools: [tool(weather), tool(other)],
      tool_choice: {
        type: 'allowed_tools',
        allowed_tools: { mode: 'auto', tools: [tool({ name: 'roll' })] },
      },
    },
    'no tools': { model: 'caller', tools: [tool(weather)], tool_choice: 'none' },
    'three answers': { n: 3 },
    logprobs: { logprobs: true, top_logprobs: 2 },
    usage: { stream_options: { include_usage: true } },
    'usage of each chunk': { stream_options: { include_usage: true, continuous_usage_stats: true } },
    'cut off': { max_tokens: 2 },
    max_completion_tokens: { max_completion_tokens: 3 },
    'two limits': { max_tokens: 2, max_completion_tokens: 3 },
    'turns of all roles': {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        user([
          { type: 'text', text: 'Look: ' },
          { type: 'image_url', image_url: { url: picture, detail: 'low' } },
        ]),
        { role: 'assistant', content: null, reasoning_content: 'Hm.', tool_calls: [call('call_1')] },
        { role: 'tool', tool_call_id: 'call_1', content: 'Sunny' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Sunny' },
            { type: 'refusal', refusal: '.' },
          ],
        },
        user('And now?'),
      ],
    },
    'answer continued': {
      messages: [...hi, { role: 'assistant', content: 'Hello' }],
      continue_final_message: true,
      add_generation_prompt: false,
    },
    prefix: { messages: [...hi, { role: 'assistant', content: 'Hello', prefix: true }] },
    'prefix in the middle': { messages: [{ role: 'assistant', content: 'Hello', prefix: true }, ...hi] },
    'json object': { response_format: { type: 'json_object' } },
    'json schema': {
      response_format: { type: 'json_schema', json_schema: { name: 'place', schema, strict: true } },
    },
    'json schema of a text': { response_format: { type: 'json_schema', json_schema: { schema: 'no' } } },
    regex: { guided_regex: '[a-z]+' },
    choice: { guided_choice: ['yes', 'no'] },
    'structured outputs': { structured_outputs: { json: schema } },
    'two formats': { guided_regex: 'a', guided_choice: ['b'] },
    effort: { model: 'thinker', reasoning_effort: 'high' },
    'effort unknown': { reasoning_effort: 'huge' },
    verbosity: { verbosity: 'low' },
    documents: { documents: [{ title: 'a', text: 'b' }] },
    'template variables': { chat_template_kwargs: { enable_thinking: false } },
    'no messages': { messages: [] },
    'role unknown': { messages: [{ role: 'human', content: 'Hi' }] },
    'content missing': { messages: [{ role: 'assistant' }] },
    'part unknown': { messages: [user([{ type: 'video', video: 'x' }])] },
    'result without a call': { messages: [{ role: 'tool', tool_call_id: 'x', content: 'y' }] },
    'call without a result': {
      messages: [...hi, { role: 'assistant', content: null, tool_calls: [call('call_1')] }, user('?')],
    },
    'arguments not json': {
      messages: [...hi, { role: 'assistant', content: null, tool_calls: [call('c', 'f', '{')] }],
    },
    'too hot': { temperature: 9 },
    'a text as a number': { temperature: '0.7' },
    'a name twice': { tools: [tool(weather), tool(weather)] },
    'tool unknown': { tools: [tool(weather)], tool_choice: tool({ name: 'nothing' }) },
    'choice without tools': { tool_choice: 'required' },
    'schema too deep': { tools: [tool({ name: 'deep', parameters: nested(100) })] },
    'stop too long': { stop: ['a', 'b', 'c', 'd', 'e'] },
    'bias of a word': { logit_bias: { word: 1 } },
    'no stream but options': { stream_options: { include_usage: true } },
    'model unknown': { model: 'nobody' },
    'model of another category': { model: 'vectors' },
    'a misspelt field': { temprature: 1 },
    'a field of another server': { best_of: 2, use_beam_search: true },
    'fields that change nothing': { user: 'me', metadata: { a: 'b' }, store: true },
    'other spellings': { num_predict: 3, stop_token_ids: [4], think: false },
    'fails early': { model: 'fails-early' },
    'fails late': { model: 'fails-late' },
    overloaded: { model: 'overloaded' },
  },
};

const completions: Dialect = {
  url: '/v1/completions',
  base: { model: 'talker', prompt: 'Once upon a time' },
  streams: ['plain', 'two prompts', 'logprobs', 'echo with logprobs'],
  bodies: {
    plain: {},
    sampling,
    'two prompts': { prompt: ['One two', 'Three'], n: 2 },
    tokens: { prompt: [1, 2, 3] },
    'lists of tokens': { prompt: [[1, 2], [3]] },
    logprobs: { logprobs: 1 },
    echo: { echo: true },
    'echo with logprobs': { echo: true, logprobs: 0, max_tokens: 0 },
    suffix: { suffix: ' the end' },
    'json schema': { response_format: { type: 'json_schema', json_schema: { schema } } },
    best_of: { best_of: 2 },
    messages: { messages: hi },
    'no prompt': { prompt: undefined },
    'empty list': { prompt: [] },
    'a number': { prompt: 5 },
    'too hot': { temperature: 9 },
    'fails early': { model: 'fails-early' },
  },
};

const custom = { name: 'get_weather', description: 'Looks the weather up.', input_schema: schema };
const messages: Dialect = {
  url: '/v1/messages',
  base: { model: 'talker', max_tokens: 64, messages: hi },
  streams: ['plain', 'thinks', 'calls', 'cut off', 'fails late'],
  bodies: {
    plain: {},
    sampling: { temperature: 0.25, top_p: 0.5, top_k: 7, stop_sequences: ['END'] },
    system: { system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }] },
    'system as a text': { system: 'Be brief.' },
    thinks: { model: 'thinker', thinking: { type: 'enabled', budget_tokens: 1024 } },
    'thinks unasked': { model: 'thinker' },
    'thinking off': { model: 'thinker', thinking: { type: 'disabled' } },
    adaptive: { model: 'thinker', thinking: { type: 'adaptive' }, output_config: { effort: 'low' } },
    calls: { model: 'caller', tools: [custom] },
    any: { model: 'caller', tools: [custom], tool_choice: { type: 'any', disable_parallel_tool_use: true } },
    'named tool': { model: 'caller', tools: [custom], tool_choice: { type: 'tool', name: 'get_weather' } },
    none: { model: 'caller', tools: [custom], tool_choice: { type: 'none' } },
    'tool unknown': { tools: [custom], tool_choice: { type: 'tool', name: 'nothing' } },
    'a name twice': { tools: [custom, custom] },
    'schema too deep': { tools: [{ ...custom, input_schema: nested(100) }] },
    'hosted tool': { tools: [{ type: 'web_search_20250305', name: 'web_search' }] },
    'results and pictures': {
      messages: [
        ...hi,
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: '' },
            { type: 'text', text: 'I look.' },
            { type: 'tool_use', id: 'toolu_1', name: 'get_weather', input: { city: 'Rom' } },
          ],
        },
        user([
          { type: 'text', text: 'Here:' },
          {
            type: 'tool_result',
            tool_use_id: 'toolu_1',
            is_error: true,
            content: [
              { type: 'text', text: 'gone' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } },
            ],
          },
        ]),
      ],
    },
    'result without a call': { messages: [user([{ type: 'tool_result', tool_use_id: 'x', content: 'y' }])] },
    'second result without a call': {
      messages: [
        ...hi,
        { role: 'assistant', content: 'Yes' },
        user([{ type: 'tool_result', tool_use_id: 'x' }]),
      ],
    },
    'answer continued': { messages: [...hi, { role: 'assistant', content: 'Hello' }] },
    'picture of the assistant': {
      messages: [
        ...hi,
        { role: 'assistant', content: [{ type: 'image', source: { type: 'url', url: 'https://x.y/z' } }] },
      ],
    },
    'json schema': { output_config: { format: { type: 'json_schema', schema } } },
    'json schema of a text': { output_config: { format: { type: 'json_schema', schema: 'no' } } },
    'effort unknown': { output_config: { effort: 'huge' } },
    'cut off': { max_tokens: 2 },
    'no messages': { messages: [] },
    'block unknown': { messages: [user([{ type: 'video' }])] },
    'too hot': { temperature: 9 },
    'stop too long': { stop_sequences: ['a', 'b', 'c', 'd', 'e'] },
    'fields of chats': { response_format: { type: 'json_object' } },
    thread: { thread: 'x' },
    'model unknown': { model: 'nobody' },
    'fails early': { model: 'fails-early' },
    'fails late': { model: 'fails-late' },
    overloaded: { model: 'overloaded' },
    context: { model: 'full' },
  },
};

const ofResponses = { type: 'function', ...weather };
const responses: Dialect = {
  url: '/v1/responses',
  base: { model: 'talker', input: 'Say hello to the world' },
  streams: ['plain', 'thinks', 'calls', 'cut off', 'logprobs', 'fails late'],
  bodies: {
    plain: {},
    sampling: { temperature: 0.25, top_p: 0.5, top_k: 7, max_output_tokens: 9 },
    instructions: { instructions: 'Be brief.', metadata: { a: 'b' } },
    thinks: { model: 'thinker' },
    effort: { model: 'thinker', reasoning: { effort: 'high' } },
    'effort unknown': { reasoning: { effort: 'huge' } },
    calls: { model: 'caller', tools: [ofResponses] },
    namespace: {
      model: 'caller',
      tools: [
        { type: 'namespace', name: 'sky', description: 'Sky', tools: [ofResponses] },
        { type: 'web_search' },
      ],
    },
    'named tool': {
      model: 'caller',
      tools: [ofResponses],
      tool_choice: { type: 'function', name: 'get_weather' },
    },
    'tool unknown': { tools: [ofResponses], tool_choice: { type: 'function', name: 'nothing' } },
    'allowed tools': {
      model: 'caller',
      tools: [ofResponses],
      tool_choice: {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'get_weather' }],
      },
    },
    'a name twice': { tools: [ofResponses, ofResponses] },
    'schema too deep': { tools: [{ ...ofResponses, parameters: nested(100) }] },
    items: {
      input: [
        { role: 'developer', content: 'Be brief.' },
        user([
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: picture, detail: 'low' },
        ]),
        { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
        { type: 'function_call', call_id: 'call_1', name: 'get_weather', arguments: '{"city":"Rom"}' },
        {
          type: 'function_call_output',
          call_id: 'call_1',
          output: [
            { type: 'input_text', text: 'Sunny' },
            { type: 'input_image', image_url: picture },
          ],
        },
        { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Sunny' }] },
        user('And now?'),
      ],
    },
    'result without a call': { input: [{ type: 'function_call_output', call_id: 'x', output: 'y' }] },
    'arguments not json': { input: [{ type: 'function_call', call_id: 'x', name: 'f', arguments: '{' }] },
    'picture of the assistant': {
      input: [...hi, { role: 'assistant', content: [{ type: 'input_image', image_url: picture }] }],
    },
    'item unknown': { input: [{ type: 'computer_call' }] },
    'no input': { input: [] },
    'json schema': { text: { format: { type: 'json_schema', name: 'place', schema } } },
    'json object': { text: { format: { type: 'json_object' }, verbosity: 'low' } },
    'json schema of a text': { text: { format: { type: 'json_schema', name: 'place', schema: 'no' } } },
    'cut off': { max_output_tokens: 2 },
    logprobs: { include: ['message.output_text.logprobs'], top_logprobs: 1 },
    'too hot': { temperature: 9 },
    'too long': { max_output_tokens: 0 },
    messages: { messages: hi },
    'previous response unknown': { previous_response_id: 'resp_nothing' },
    'background with a stream': { background: true, stream: true },
    'model unknown': { model: 'nobody' },
    'fails early': { model: 'fails-early' },
    'fails late': { model: 'fails-late' },
    context: { model: 'full' },
  },
};

const counts: readonly Dialect[] = [
  {
    url: '/v1/messages/count_tokens',
    base: messages.base,
    bodies: pick(messages, ['plain', 'system', 'calls', 'no messages']),
  },
  {
    url: '/v1/responses/input_tokens',
    base: responses.base,
    bodies: pick(responses, ['plain', 'items', 'tool unknown']),
  },
  {
    url: '/v1/tokenize',
    base: { model: 'talker' },
    bodies: {
      'a prompt': { prompt: 'Once upon a time' },
      messages: { messages: hi, return_token_strs: true },
      nothing: {},
      'too many': { prompt: 'a', messages: hi },
    },
  },
  { url: '/v1/detokenize', base: { model: 'talker' }, bodies: { tokens: { tokens: [1, 2] }, nothing: {} } },
];

const others: readonly Dialect[] = [
  {
    url: '/v1/embeddings',
    base: { model: 'vectors', input: 'Hello there' },
    bodies: {
      plain: {},
      list: { input: ['a', 'b c'] },
      tokens: { input: [[1, 2], [3]] },
      base64: { encoding_format: 'base64' },
      dimensions: { dimensions: 4 },
      'no dimensions': { dimensions: 0 },
      'empty text': { input: '' },
      'empty list': { input: [] },
      'format unknown': { encoding_format: 'hex' },
      'model unknown': { model: 'nobody' },
      'another category': { model: 'talker' },
    },
  },
  {
    url: '/v1/rerank',
    base: { model: 'ranks', query: 'red circle', documents: ['a blue circle', 'a red circle', 'sky'] },
    bodies: {
      plain: {},
      'with documents': { return_documents: true, top_n: 2 },
      objects: { documents: [{ text: 'a red one' }] },
      'no documents': { documents: [] },
      'top_n of a text': { top_n: 'two' },
    },
  },
  {
    url: '/v1/images/generations',
    base: { model: 'paints', prompt: 'a red circle' },
    streams: ['plain'],
    bodies: {
      plain: {},
      size: { size: '512x256', n: 2, seed: 3, guidance_scale: 4, num_inference_steps: 5 },
      'two sizes': { size: '512x256', width: 256 },
      'size unknown': { size: 'big' },
      format: { response_format: 'url' },
      'no prompt': { prompt: undefined },
    },
  },
  {
    url: '/v1/audio/speech',
    base: { model: 'mouth', input: 'Hello there.' },
    streams: ['events'],
    bodies: {
      plain: {},
      voice: { voice: 'af_heart', speed: 1.5 },
      'voice unknown': { voice: 'nobody' },
      pcm: { response_format: 'pcm' },
      'format unknown': { response_format: 'midi' },
      'too fast': { speed: 99 },
      'no text': { input: '' },
      events: { stream_format: 'sse' },
    },
  },
  {
    url: '/v1/detect',
    base: { model: 'eyes', image: picture },
    bodies: {
      plain: {},
      threshold: { threshold: 0.5 },
      'threshold too high': { threshold: 2 },
      'no image': { image: undefined },
    },
  },
];

const forms: Readonly<Record<string, readonly [fields: Record<string, string>, url?: string]>> = {
  plain: [{ model: 'ears' }],
  text: [{ model: 'ears', response_format: 'text' }],
  verbose: [{ model: 'ears', response_format: 'verbose_json', 'timestamp_granularities[]': 'word' }],
  subtitles: [{ model: 'ears', response_format: 'srt' }],
  vtt: [{ model: 'ears', response_format: 'vtt' }],
  stream: [{ model: 'ears', stream: 'true' }],
  translation: [{ model: 'ears' }, '/v1/audio/translations'],
  'format unknown': [{ model: 'ears', response_format: 'docx' }],
  'language unknown': [{ model: 'ears', language: 'xx' }],
  'too hot': [{ model: 'ears', temperature: '9' }],
  'model unknown': [{ model: 'nobody' }],
};

const gets = [
  '/v1/models',
  '/v1/models/talker',
  '/v1/models/talker/parameters',
  '/v1/models/paints/parameters',
  '/v1/models/nobody',
  '/v1/audio/voices',
  '/v1/nothing',
  '/v1/chat/completions',
];

/** Every request by its name. */
export const requests: ReadonlyMap<string, Sent> = new Map([
  ...[chat, completions, messages, responses, ...counts, ...others].flatMap(sentOf),
  ...Object.entries(forms).map(([name, [fields, url]]): [string, Sent] => [
    `${url ?? '/v1/audio/transcriptions'} ${name}`,
    { ...sentForm(uploadOf(fields)), ...(url !== undefined && { url }) },
  ]),
  ...gets.map((url): [string, Sent] => [`GET ${url}`, { url }]),
  ['/v1/chat/completions not json', { text: "{'model': 'talker'}" }],
  ['/v1/chat/completions no key', { json: chat.base, headers: { authorization: undefined } }],
]);

function sentOf({ url, base, bodies, streams = [] }: Dialect): [string, Sent][] {
  return Object.entries(bodies).flatMap(([name, body]) => {
    const json = { ...base, ...body };
    const whole: [string, Sent] = [`${url} ${name}`, { url, json }];
    const stream: [string, Sent] = [`${url} ${name}, streamed`, { url, json: { ...json, stream: true } }];
    return streams.includes(name) ? [whole, stream] : [whole];
  });
}

function pick({ bodies }: Dialect, names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, bodies[name]!]));
}

/** A schema with so many objects inside each other. */
function nested(depth: number): object {
  return depth === 0 ? {} : { type: 'object', properties: { a: nested(depth - 1) } };
}
