import { APICallError, type LanguageModelV4CallOptions, type LanguageModelV4Prompt } from '@ai-sdk/provider';
import { describe, expect, it } from 'vitest';
import { createSlashv1 } from '../../src/entries/ai-sdk.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../src/entries/testing.ts';
import { InferenceError } from '../../src/errors.ts';

const hello: LanguageModelV4Prompt = [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }];
const weather = {
  type: 'function',
  name: 'get_weather',
  inputSchema: { type: 'object', properties: { city: { type: 'string' } } },
} as const;

function setUp(reply?: FakeInferenceOptions['reply']) {
  const inference = createFakeInference({ reply });
  return { inference, model: createSlashv1(inference, { owner: 'ada', deadlineMs: 5000 })('fake-chat') };
}

async function collect<T>(stream: ReadableStream<T>): Promise<T[]> {
  const values: T[] = [];
  for await (const value of stream) values.push(value);
  return values;
}

describe('a stream', () => {
  it('has thoughts, text and calls, with usage', async () => {
    const reply = {
      reasoning: 'Let me look',
      text: 'One moment',
      toolCalls: [{ name: 'get_weather', arguments: { city: 'Rome' } }],
    };
    const { stream } = await setUp(reply).model.doStream({ prompt: hello, tools: [weather] });
    const parts = await collect(stream);
    const textOf = (type: string) =>
      parts.map((part) => (part.type === type && 'delta' in part ? part.delta : '')).join('');
    expect([textOf('reasoning-delta'), textOf('text-delta')]).toEqual(['Let me look', 'One moment']);
    expect(parts).toContainEqual(
      expect.objectContaining({ type: 'tool-call', toolName: 'get_weather', input: '{"city":"Rome"}' }),
    );
    expect(parts.at(-1)).toMatchObject({
      finishReason: { unified: 'tool-calls' },
      usage: { inputTokens: { cacheRead: 0 }, outputTokens: { reasoning: 3 } },
    });
  });

  it('has an error where its run fails', async () => {
    const error = new InferenceError('worker_failed', 'The worker ended.');
    const { stream } = await setUp({ text: 'one two three', error, failAfter: 2 }).model.doStream({
      prompt: hello,
    });
    const parts = await collect(stream);
    expect(parts.map(({ type }) => type)).toContain('error');
    expect(parts.at(-1)).toMatchObject({ type: 'finish', finishReason: { unified: 'error' } });
  });

  it('is refused where the run fails before it, with the time to wait', async () => {
    const error = new InferenceError('overloaded', 'Full.', { retryAfterSeconds: 3 });
    const wanted = setUp({ error }).model.doStream({ prompt: hello });
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
    await expect(collect(stream)).rejects.toMatchObject({ name: 'AbortError' });
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
      deadlineMs: 5000,
      responseId: expect.stringMatching(/^chatcmpl-/),
    });
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
  const ask = async (call: Partial<LanguageModelV4CallOptions>) =>
    setUp('Hi').model.doGenerate({ prompt: hello, ...call });

  it.each<[string, Partial<LanguageModelV4CallOptions>]>([
    ['min_p', { providerOptions: { slashv1: { min_p: -1 } } }],
    ['top_k', { topK: -5 }],
    ['max_tokens', { maxOutputTokens: 0 }],
    ['stop', { stopSequences: ['a', 'b', 'c', 'd', 'e'] }],
  ])('names %s', async (name, call) => {
    await expect(ask(call)).rejects.toMatchObject({
      name: 'AI_APICallError',
      statusCode: 400,
      isRetryable: false,
      message: expect.stringMatching(`^${name}: `),
      data: { error: { param: name } },
    });
  });

  it.each(['minp', 'n', 'stream'])('names the option %s, which there isn’t', async (name) => {
    const wanted = ask({ providerOptions: { slashv1: { [name]: 2 } } });
    await expect(wanted).rejects.toThrow(`${name}: providerOptions.slashv1 has no such option.`);
  });
});
