import OpenAI, { APIError, APIUserAbortError } from 'openai';
import { describe, expect, test } from 'vitest';
import type { Service } from './openai-client.ts';

const tool = (name: string): OpenAI.Responses.FunctionTool => ({
  type: 'function',
  name,
  description: `${name.replace('_', ' ')} of a city`,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  strict: null,
});

/** Items of an answer as they are sent back; the types of both differ in kinds of items that don't occur here. */
const toInput = (output: OpenAI.Responses.ResponseOutputItem[]) => output as OpenAI.Responses.ResponseInput;

/** The package adds fields of its own to what it streams. */
function withoutParsed(item: OpenAI.Responses.ResponseOutputItem): object {
  return JSON.parse(JSON.stringify(item), (key, value: unknown) =>
    key === 'parsed' ? undefined : value,
  ) as object;
}

/** Asks a service for responses by the `openai` package: only the base URL and the key are changed. */
export function openaiResponses(service: () => Service): void {
  const connect = () => {
    const { baseUrl, apiKey, fetch } = service();
    return new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0, ...(fetch && { fetch }) }).responses;
  };
  const asked = (input: string | OpenAI.Responses.ResponseInput) => ({
    model: service().model,
    input,
  });

  describe('responses of the openai package', () => {
    test('create', async () => {
      const response = await connect().create({ ...asked(service().question), instructions: 'Be brief.' });
      expect(response).toMatchObject({
        object: 'response',
        status: 'completed',
        model: service().model,
        instructions: 'Be brief.',
        error: null,
        store: true,
      });
      expect(response.output_text).toMatch(/\S/);
      const { input_tokens, output_tokens, total_tokens } = response.usage!;
      expect(total_tokens).toBe(input_tokens + output_tokens);
    });

    test('conversation', async () => {
      const { conversations } = new OpenAI({
        baseURL: service().baseUrl,
        apiKey: service().apiKey,
        maxRetries: 0,
        ...(service().fetch && { fetch: service().fetch }),
      });
      const { id } = await conversations.create();
      const response = await connect().create({ ...asked(service().question), conversation: id });
      expect(response.conversation).toEqual({ id });
      const { data } = await conversations.items.list(id);
      expect(data.map((item) => item.type === 'message' && item.role)).toEqual(['assistant', 'user']);
      expect(await conversations.delete(id)).toMatchObject({ id, deleted: true });
    });

    test('max_output_tokens', async () => {
      const response = await connect().create({ ...asked(service().question), max_output_tokens: 2 });
      expect(response).toMatchObject({
        status: 'incomplete',
        incomplete_details: { reason: 'max_output_tokens' },
        output: [{ type: 'message', status: 'incomplete' }],
      });
      expect(response.usage!.output_tokens).toBe(2);
    });

    test('create with stream', async () => {
      const stream = await connect().create({ ...asked(service().question), stream: true });
      const events: OpenAI.Responses.ResponseStreamEvent[] = [];
      for await (const event of stream) events.push(event);
      expect(events.map((event) => event.sequence_number)).toEqual([...events.keys()]);
      const deltas = events.flatMap((event) =>
        event.type === 'response.output_text.delta' ? event.delta : [],
      );
      const last = events.at(-1) as OpenAI.Responses.ResponseCompletedEvent;
      expect(last.type).toBe('response.completed');
      expect(last.response.output).toMatchObject([{ content: [{ text: deltas.join('') }] }]);
    });

    test('stream', async () => {
      const stream = connect().stream(asked(service().question));
      let text = '';
      stream.on('response.output_text.delta', ({ delta }) => (text += delta));
      const { output_text, status } = await stream.finalResponse();
      expect(status).toBe('completed');
      expect(text).toMatch(/\S/);
      expect(output_text).toBe(text);
    });

    test('two tools in parallel, then the answer', async () => {
      const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: service().toolQuestion }];
      const tools = [tool('get_weather'), tool('get_time')];
      const first = await connect()
        .stream({ ...asked(input), tools })
        .finalResponse();
      const calls = first.output.filter((item) => item.type === 'function_call');
      expect(calls.map(({ name }) => name)).toEqual(['get_weather', 'get_time']);
      for (const call of calls) {
        expect(JSON.parse(call.arguments)).toEqual({ city: expect.stringMatching(/\S/) });
        expect(call.status).toBe('completed');
      }
      const outputs = calls.map(({ call_id }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: 'sunny',
      }));
      const second = await connect().create({
        ...asked([...input, ...toInput(first.output), ...outputs]),
        tools,
      });
      expect(second.output_text).toMatch(/\S/);
    });

    test('responses that are kept', async () => {
      const responses = connect();
      const first = await responses.create(asked(service().question));
      const stream = responses.stream({ ...asked('And then?'), previous_response_id: first.id });
      const second = await stream.finalResponse();
      expect(second.previous_response_id).toBe(first.id);
      expect((await responses.retrieve(second.id)).output).toEqual(second.output.map(withoutParsed));
      const items = [];
      for await (const item of responses.inputItems.list(second.id, { order: 'asc', limit: 2 }))
        items.push(item);
      expect(items).toMatchObject([
        { type: 'message', role: 'user', content: service().question },
        { id: first.output[0]!.id, role: 'assistant' },
        { type: 'message', role: 'user', content: 'And then?' },
      ]);
      await responses.delete(second.id);
      await expect(responses.retrieve(second.id)).rejects.toMatchObject({
        status: 404,
        code: 'response_not_found',
      });
      await expect(responses.cancel(first.id)).rejects.toMatchObject({ status: 400, param: 'response_id' });
    });

    test('items that are referred to', async () => {
      const tools = [tool('get_weather')];
      const asking: OpenAI.Responses.ResponseInput = [{ role: 'user', content: service().toolQuestion }];
      const first = await connect().create({ ...asked(asking), tools, tool_choice: 'required' });
      const references = first.output.map(({ id }) => ({ type: 'item_reference' as const, id: id! }));
      const calls = first.output.filter((item) => item.type === 'function_call');
      const outputs = calls.map(({ call_id }) => ({
        type: 'function_call_output' as const,
        call_id,
        output: 'sunny',
      }));
      const second = await connect().create({ ...asked([...asking, ...references, ...outputs]), tools });
      expect(second.output_text).toMatch(/\S/);
    });

    test('a stream that is aborted ends, and the service comes to rest', async () => {
      const stream = await connect().create({
        ...asked(service().question),
        stream: true,
        max_output_tokens: 100_000,
      });
      for await (const event of stream)
        if (event.type === 'response.output_text.delta') stream.controller.abort();
      await service().idle();
    });

    test('a request that is aborted ends, and the service comes to rest', async () => {
      const abort = new AbortController();
      const response = connect().create(asked(service().question), { signal: abort.signal });
      setImmediate(() => abort.abort());
      await expect(response).rejects.toBeInstanceOf(APIUserAbortError);
      await service().idle();
    });

    test.each([
      [
        'stored state',
        { previous_response_id: 'resp_1' },
        { status: 404, code: 'response_not_found', param: 'previous_response_id' },
      ],
      [
        'a file',
        {
          input: [
            {
              role: 'user' as const,
              content: [{ type: 'input_file' as const, file_id: 'file-1' }],
            },
          ],
        },
        { status: 400, code: 'unsupported_feature', param: 'input[0].content[0]' },
      ],
      ['an unknown model', { model: 'none' }, { status: 404, code: 'model_not_found', param: 'model' }],
    ])('%s is an error', async (_title, change, expected) => {
      const error: unknown = await connect()
        .create({ ...asked('Hello'), ...change })
        .then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(APIError);
      expect(error).toMatchObject(expected);
    });
  });
}
