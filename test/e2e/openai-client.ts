import OpenAI, { APIError, APIUserAbortError } from 'openai';
import { describe, expect, test } from 'vitest';

/** A running service, and what to ask it. */
export interface Service {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly model: string;
  readonly fetch?: typeof fetch;
  /** Answered with text. */
  readonly question: string;
  /** Answered with calls of `get_weather` and `get_time`, and, once those have answered, with text. */
  readonly toolQuestion: string;
  /** Resolves when no request is running any more. */
  idle(): Promise<void>;
}

/** Points the `openai` package at a service: only the base URL and the key are changed. */
export function openaiClient(service: () => Service): void {
  const connect = (apiKey = service().apiKey) => {
    const { baseUrl, fetch } = service();
    return new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0, ...(fetch && { fetch }) });
  };
  const asked = (content: string) => ({
    model: service().model,
    messages: [{ role: 'user' as const, content }],
  });

  describe('the openai package', () => {
    test('completion', async () => {
      const { data: completion, request_id: requestId } = await connect()
        .chat.completions.create(asked(service().question))
        .withResponse();
      expect(completion.choices[0]).toMatchObject({
        index: 0,
        message: { role: 'assistant', content: expect.stringMatching(/\S/) },
        finish_reason: 'stop',
      });
      const { prompt_tokens, completion_tokens, total_tokens } = completion.usage!;
      expect(total_tokens).toBe(prompt_tokens + completion_tokens);
      expect(requestId).toMatch(/\S/);
    });

    test('stream', async () => {
      const stream = await connect().chat.completions.create({
        ...asked(service().question),
        stream: true,
        stream_options: { include_usage: true },
      });
      const chunks: OpenAI.ChatCompletionChunk[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      const text = chunks.map((chunk) => chunk.choices[0]?.delta.content ?? '').join('');
      expect(text).toMatch(/\S/);
      expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
      expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
      expect(chunks.at(-1)?.usage?.completion_tokens).toBeGreaterThan(0);
    });

    test('runTools: two tools in parallel, then the answer', async () => {
      const called: Record<string, unknown> = {};
      const tool = (name: string, answer: string) => ({
        type: 'function' as const,
        function: {
          name,
          description: `${name.replace('_', ' ')} of a city`,
          parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
          parse: JSON.parse,
          function: (given: { city: string }) => {
            called[name] = given.city;
            return answer;
          },
        },
      });
      const runner = connect().chat.completions.runTools({
        ...asked(service().toolQuestion),
        stream: true,
        tools: [tool('get_weather', 'sunny'), tool('get_time', '12:30')],
      });
      expect(await runner.finalContent()).toMatch(/\S/);
      expect(called).toEqual({
        get_weather: expect.stringMatching(/\S/),
        get_time: expect.stringMatching(/\S/),
      });
      const roles = runner.messages.map((message) => message.role);
      expect(roles).toEqual(['user', 'assistant', 'tool', 'tool', 'assistant']);
    });

    test('a stream that is aborted ends, and the service comes to rest', async () => {
      const stream = await connect().chat.completions.create({
        ...asked(service().question),
        stream: true,
        max_tokens: 100_000,
      });
      for await (const chunk of stream) if (chunk.choices[0]?.delta.content) stream.controller.abort();
      await service().idle();
    });

    test('a request that is aborted ends, and the service comes to rest', async () => {
      const abort = new AbortController();
      const completion = connect().chat.completions.create(asked(service().question), {
        signal: abort.signal,
      });
      setImmediate(() => abort.abort());
      await expect(completion).rejects.toBeInstanceOf(APIUserAbortError);
      await service().idle();
    });

    test.each([
      ['a wrong key', 'wrong', {}, { status: 401, code: 'invalid_api_key' }],
      [
        'an unknown model',
        undefined,
        { model: 'none' },
        { status: 404, code: 'model_not_found', param: 'model' },
      ],
    ])('%s is an error of its own kind', async (_title, apiKey, change, expected) => {
      const completion = connect(apiKey).chat.completions.create({ ...asked('Hello'), ...change });
      const error: unknown = await completion.then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject(expected);
    });

    test('models', async () => {
      const models = await connect().models.list();
      expect(models.data.map((model) => model.id)).toContain(service().model);
      expect(await connect().models.retrieve(service().model)).toMatchObject({ object: 'model' });
    });
  });
}
