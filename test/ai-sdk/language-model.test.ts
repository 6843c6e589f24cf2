import {
  APICallError,
  UnsupportedFunctionalityError,
  type LanguageModelV4CallOptions,
  type LanguageModelV4Prompt,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createSlashv1 } from '../../src/entries/ai-sdk.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../src/entries/testing.ts';
import { fieldError, InferenceError } from '../../src/errors.ts';

const hello: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
const weather = {
  type: 'function',
  name: 'get_weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
} as const;

function setUp(reply?: FakeInferenceOptions['reply']) {
  const inference = createFakeInference({ reply });
  return { inference, model: createSlashv1(inference, { owner: 'ada' })('fake-chat') };
}

async function partsOf(
  { model }: Pick<ReturnType<typeof setUp>, 'model'>,
  call: Partial<LanguageModelV4CallOptions> = {},
): Promise<LanguageModelV4StreamPart[]> {
  const { stream } = await model.doStream({ prompt: hello, ...call });
  return collect(stream);
}

async function collect<T>(stream: ReadableStream<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

describe('a stream', () => {
  it('has the parts of each block between its start and its end, in order', async () => {
    const reply = {
      reasoning: 'Let me look',
      text: 'One moment',
      toolCalls: [
        { name: 'get_weather', arguments: { city: 'Rome' } },
        { name: 'get_weather', arguments: { city: 'Oslo' } },
      ],
    };
    const parts = await partsOf(setUp(reply), { tools: [weather] });
    const kinds = parts.map((part) => ('id' in part ? `${part.type} ${part.id}` : part.type));
    const ids = parts.flatMap((part) => (part.type === 'tool-input-start' ? [part.id] : []));
    expect(new Set(ids).size).toBe(2);
    expect(kinds.filter((kind, index) => kind !== kinds[index - 1])).toEqual([
      'stream-start',
      expect.stringMatching(/^response-metadata chatcmpl-/),
      'reasoning-start reasoning-0',
      'reasoning-delta reasoning-0',
      'reasoning-end reasoning-0',
      'text-start text-1',
      'text-delta text-1',
      'text-end text-1',
      ...ids.flatMap((id) => [
        `tool-input-start ${id}`,
        `tool-input-delta ${id}`,
        `tool-input-end ${id}`,
        'tool-call',
      ]),
      'finish',
    ]);
    const calls = parts.filter(({ type }) => type === 'tool-call');
    expect(calls).toMatchObject([
      { toolCallId: ids[0], toolName: 'get_weather', input: '{"city":"Rome"}' },
      { toolCallId: ids[1], input: '{"city":"Oslo"}' },
    ]);
    expect(parts.at(-1)).toMatchObject({
      finishReason: { unified: 'tool-calls', raw: 'tool_calls' },
      usage: { inputTokens: { cacheRead: 0 }, outputTokens: { reasoning: 3 } },
    });
  });

  it('ends a call that was cut off without offering it to be carried out', async () => {
    const reply = { toolCalls: [{ name: 'get_weather', arguments: '{"city":"Ro' }] };
    const setting = setUp(reply);
    const parts = await partsOf(setting, { tools: [weather] });
    expect(parts.map(({ type }) => type)).toContain('tool-input-end');
    expect(parts.map(({ type }) => type)).not.toContain('tool-call');
    const { content } = await setting.model.doGenerate({ prompt: hello, tools: [weather] });
    expect(content).toEqual([]);
  });

  it('ends with the error of a run that fails, as an error that may be tried again', async () => {
    const error = new InferenceError('worker_failed', 'The worker ended.');
    const parts = await partsOf(setUp({ text: 'one two three', error, failAfter: 4 }));
    expect(parts.at(-2)).toMatchObject({
      type: 'error',
      error: { statusCode: 502, isRetryable: true, cause: error },
    });
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'error' } });
  });

  it('is refused where the run fails before it, with the time to wait', async () => {
    const error = new InferenceError('overloaded', 'Full.', { retryAfterSeconds: 3 });
    const wanted = partsOf(setUp({ error }));
    await expect(wanted).rejects.toSatisfy(APICallError.isInstance);
    await expect(wanted).rejects.toMatchObject({
      statusCode: 503,
      isRetryable: true,
      responseHeaders: { 'retry-after': '3' },
    });
  });

  it('ends the run when it is left', async () => {
    const { inference, model } = setUp({ text: 'one two three four', delayMs: 20 });
    const { stream } = await model.doStream({ prompt: hello });
    const reader = stream.getReader();
    await reader.read();
    await reader.cancel();
    await expect.poll(() => [inference.running, inference.cancelled]).toEqual([0, 1]);
  });

  it('fails with the reason of an abort', async () => {
    const control = new AbortController();
    const { model } = setUp({ text: 'one two three four', delayMs: 20 });
    const { stream } = await model.doStream({ prompt: hello, abortSignal: control.signal });
    control.abort(new DOMException('enough', 'AbortError'));
    await expect(collect(stream)).rejects.toThrow('enough');
  });

  it('carries the events themselves where they are wanted', async () => {
    const parts = await partsOf(setUp('Hi'), { includeRawChunks: true });
    expect(parts[0]!.type).toBe('stream-start');
    expect(parts).toContainEqual({ type: 'raw', rawValue: expect.objectContaining({ type: 'text-delta' }) });
  });
});

describe('a call', () => {
  it('becomes a request with all that it says', async () => {
    const { inference, model } = setUp('Hi');
    await model.doGenerate({
      prompt: hello,
      maxOutputTokens: 9,
      temperature: 0.5,
      topP: 0.8,
      topK: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 3,
      stopSequences: ['END'],
      reasoning: 'low',
      tools: [{ ...weather, strict: true }],
      toolChoice: { type: 'tool', toolName: 'get_weather' },
      responseFormat: { type: 'json', schema: { type: 'object' } },
      providerOptions: {
        slashv1: { min_p: 0.2, mirostat_mode: 2, logit_bias: { 5: -1 }, parallel_tool_calls: false },
        other: { anything: 1 },
      },
    });
    expect(inference.requests[0]).toMatchObject({
      maxTokens: 9,
      temperature: 0.5,
      topP: 0.8,
      topK: 7,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      seed: 3,
      stop: ['END'],
      reasoningEffort: 'low',
      tools: [{ name: 'get_weather', parameters: weather.inputSchema, strict: true }],
      toolChoice: { name: 'get_weather' },
      responseFormat: { type: 'json-schema', schema: { type: 'object' } },
      minP: 0.2,
      mirostatMode: 2,
      logitBias: new Map([[5, -1]]),
      parallelToolCalls: false,
    });
    expect(inference.calls[0]).toMatchObject({
      owner: 'ada',
      responseId: expect.stringMatching(/^chatcmpl-/),
    });
  });

  it('leaves the template’s reasoning and any text as they are', async () => {
    const { inference, model } = setUp('Hi');
    await model.doGenerate({
      prompt: hello,
      reasoning: 'provider-default',
      responseFormat: { type: 'text' },
    });
    await model.doGenerate({ prompt: hello, responseFormat: { type: 'json' } });
    expect(inference.requests).toMatchObject([
      { reasoningEffort: undefined, responseFormat: { type: 'text' } },
      { responseFormat: { type: 'json-object' } },
    ]);
  });

  it('has its messages, with files, thoughts, calls and their results', async () => {
    const { inference, model } = setUp('Hi');
    const png = new Uint8Array([1, 2, 3]);
    const url = new URL('https://a.example/b.png');
    const result = (toolCallId: string, output: object) =>
      ({ type: 'tool-result', toolCallId, toolName: 'look', output }) as never;
    const call = (toolCallId: string) =>
      ({ type: 'tool-call', toolCallId, toolName: 'look', input: { at: 1 } }) as const;
    const { warnings } = await model.doGenerate({
      prompt: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'See' },
            {
              type: 'file',
              mediaType: 'image/png',
              data: { type: 'data', data: png },
              providerOptions: { slashv1: { detail: 'low' } },
            },
            { type: 'file', mediaType: 'image', data: { type: 'url', url } },
            { type: 'file', mediaType: 'text/plain', data: { type: 'data', data: 'bm90ZQ==' } },
            { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'words' } },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'Hm' },
            { type: 'text', text: 'I look' },
            { type: 'custom', kind: 'other.thing' },
            ...['a', 'b', 'c', 'd'].map(call),
            result('d', { type: 'text', value: 'done elsewhere' }),
          ],
        },
        {
          role: 'tool',
          content: [
            result('a', { type: 'json', value: { seen: true } }),
            result('b', { type: 'execution-denied' }),
            result('c', {
              type: 'content',
              value: [
                { type: 'text', text: 'A picture' },
                { type: 'file', mediaType: 'image/png', data: { type: 'data', data: png } },
              ],
            }),
          ],
        },
      ],
    });
    expect(warnings).toEqual([{ type: 'unsupported', feature: 'custom parts of the assistant' }]);
    expect(inference.requests[0]!.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'See' },
          { type: 'image', image: png, detail: 'low' },
          { type: 'image', image: 'https://a.example/b.png', detail: undefined },
          { type: 'text', text: 'note' },
          { type: 'text', text: 'words' },
        ],
      },
      {
        role: 'assistant',
        content: [{ type: 'text', text: 'I look' }],
        reasoningContent: 'Hm',
        toolCalls: ['a', 'b', 'c', 'd'].map((id) => ({ id, name: 'look', arguments: '{"at":1}' })),
      },
      { role: 'tool', toolCallId: 'd', name: 'look', content: 'done elsewhere' },
      { role: 'tool', toolCallId: 'a', name: 'look', content: '{"seen":true}' },
      { role: 'tool', toolCallId: 'b', name: 'look', content: 'The user denied the call.' },
      {
        role: 'tool',
        toolCallId: 'c',
        name: 'look',
        content: [
          { type: 'text', text: 'A picture' },
          { type: 'image', image: png, detail: undefined },
        ],
      },
    ]);
  });

  it('warns of tools that a provider runs, and of examples', async () => {
    const { inference, model } = setUp('Hi');
    const { warnings } = await model.doGenerate({
      prompt: hello,
      tools: [
        { type: 'provider', id: 'openai.web_search', name: 'web_search', args: {} },
        { ...weather, inputExamples: [{ input: { city: 'Rome' } }] },
      ],
    });
    expect(warnings).toEqual([
      { type: 'unsupported', feature: 'the tool openai.web_search, which its provider runs' },
      { type: 'unsupported', feature: 'inputExamples of get_weather' },
    ]);
    expect(inference.requests[0]!.tools).toHaveLength(1);
  });

  it('does without a setting that its model refuses, and warns', async () => {
    const { inference, model } = setUp(({ reasoningEffort }) =>
      reasoningEffort === undefined
        ? 'Hi'
        : { error: fieldError('reasoning_effort', 'no switch', { code: 'unsupported_feature' }) },
    );
    const { content, warnings } = await model.doGenerate({ prompt: hello, reasoning: 'none' });
    expect(content).toEqual([{ type: 'text', text: 'Hi' }]);
    expect(warnings).toEqual([
      { type: 'unsupported', feature: 'reasoning', details: 'reasoning: no switch.' },
    ]);
    expect(inference.requests).toHaveLength(2);
  });

  it('gives log probabilities on request', async () => {
    const { providerMetadata } = await setUp('Hi there').model.doGenerate({
      prompt: hello,
      providerOptions: { slashv1: { logprobs: true } },
    });
    expect(providerMetadata).toMatchObject({ slashv1: { logprobs: [{ token: expect.any(String) }, {}] } });
  });
});

describe('the error of a call', () => {
  const refusal = async (call: Partial<LanguageModelV4CallOptions>) =>
    setUp('Hi').model.doGenerate({ prompt: hello, ...call });
  const option = (slashv1: Record<string, number | string>) => ({ providerOptions: { slashv1 } });
  const cut = { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} } as const;

  it.each<[string, Partial<LanguageModelV4CallOptions>]>([
    ['providerOptions.slashv1.min_p', option({ min_p: -1 })],
    ['providerOptions.slashv1.dry_base', option({ dry_base: 'a' })],
    ['providerOptions.slashv1.minp', option({ minp: 0.1 })],
    ['providerOptions.slashv1.max_tokens', option({ max_tokens: 1 })],
    ['providerOptions.slashv1.n', option({ n: 2 })],
    ['providerOptions.slashv1.repetition_penalty', option({ repetition_penalty: 2 })],
    ['maxOutputTokens', { maxOutputTokens: 0 }],
    ['topP', { topP: 3 }],
    ['stopSequences', { stopSequences: ['a', 'b', 'c', 'd', 'e'] }],
    ['toolChoice', { toolChoice: { type: 'required' } }],
    ['prompt[1]', { prompt: [...hello, { role: 'assistant', content: [cut] }, ...hello] }],
  ])('names %s', async (name, call) => {
    const error: unknown = await refusal(call).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: 'AI_APICallError', statusCode: 400, isRetryable: false });
    const { message, cause } = error as APICallError & { cause: InferenceError };
    expect(cause.param!.startsWith(name)).toBe(true);
    expect(message.startsWith(name)).toBe(true);
  });

  it('is that of the SDK for a file that no model reads', async () => {
    const data = { type: 'data', data: 'AAAA' } as const;
    const content = [{ type: 'file', mediaType: 'application/pdf', data } as const];
    await expect(refusal({ prompt: [{ role: 'user', content }] })).rejects.toSatisfy(
      UnsupportedFunctionalityError.isInstance,
    );
  });
});
