import { describe, expect, it, vi } from 'vitest';
import {
  modelResponseSchema,
  responseEventSchema,
} from '../../../../../src/categories/chat/wire/responses/schema.ts';
import { createHandler } from '../../../../../src/create-handler.ts';
import { fieldError, InferenceError } from '../../../../../src/errors.ts';
import type { HandlerOptions } from '../../../../../src/server/options.ts';
import { limiterThatWrites } from '../../../../server/written-charges.ts';
import type { FakeAnswer } from '../../../../../src/testing/fake-chat.ts';
import { createFakeInference } from '../../../../../src/testing/fake-inference.ts';
import { expectError, key, send, toRequest } from '../../../../server/support.ts';

function serve(reply: FakeAnswer = { text: 'Hello there' }, options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ reply });
  const onError = vi.fn();
  const handler = createHandler(inference, { auth: { keys: [key] }, onError, ...options });
  const url = '/v1/responses';
  const least = { model: 'fake-chat', input: 'Hi' };
  const ask = (json: object = {}) => send(handler, { url, json: { ...least, ...json } });
  const stream = async (json: object = {}) => {
    const { text, headers } = await ask({ ...json, stream: true });
    const frames = text.split('\n\n').filter((frame) => frame.startsWith('event: '));
    return {
      headers,
      text,
      events: frames.map((frame) => JSON.parse(frame.slice(frame.indexOf('data: ') + 6))),
    };
  };
  const open = async (signal: AbortSignal) => {
    const { body } = await handler(toRequest({ url, signal, json: { ...least, stream: true } }));
    return (body as AsyncIterable<string>)[Symbol.asyncIterator]();
  };
  return { inference, handler, onError, ask, stream, open };
}

/** Plans whose charges are written down. */
function metered(charges: number[]): Partial<HandlerOptions> {
  const limiter = limiterThatWrites(charges);
  return {
    auth: { keys: [{ key, plan: 'free' }] },
    plans: { free: { quota: { tokens: 1e6, perSeconds: 60 } } },
    limiter,
  };
}

describe('POST /responses', () => {
  it('answers with a response of the published shape', async () => {
    const { ask, inference } = serve({ text: 'Hello there', reasoning: 'Let me see' });
    const { status, json } = await ask({ metadata: { a: 'b' }, instructions: 'Be brief.' });
    expect(status).toBe(200);
    expect(modelResponseSchema.parse(json)).toEqual(json);
    expect(json).toMatchObject({
      id: expect.stringMatching(/^resp_\w{32}$/),
      status: 'completed',
      output: [
        { type: 'reasoning', content: [{ type: 'reasoning_text', text: 'Let me see' }] },
        { type: 'message', content: [{ type: 'output_text', text: 'Hello there' }] },
      ],
      metadata: { a: 'b' },
      instructions: 'Be brief.',
      temperature: 0.7,
      usage: { output_tokens: 5, output_tokens_details: { reasoning_tokens: 3 } },
    });
    expect(inference.calls[0]!.responseId).toBe(json.id);
  });

  it('streams named events, without a mark after the last', async () => {
    const { headers, text, events } = await serve().stream();
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8');
    for (const event of events) expect(responseEventSchema.parse(event)).toEqual(event);
    const names = [...text.matchAll(/^event: (.*)$/gm)].map(([, name]) => name);
    expect(names).toEqual(events.map(({ type }) => type));
    expect(names.at(-1)).toBe('response.completed');
    expect(text).not.toContain('[DONE]');
  });

  it('calls tools', async () => {
    const { ask } = serve({ toolCalls: [{ name: 'time', arguments: { city: 'Ulm' } }] });
    const time = { type: 'function', name: 'time', parameters: { type: 'object' } };
    const { json } = await ask({ tools: [time], tool_choice: 'required' });
    expect(json.output).toMatchObject([
      { type: 'function_call', name: 'time', arguments: '{"city":"Ulm"}', status: 'completed' },
    ]);
    expect(json.tools).toEqual([{ ...time, description: null, strict: null }]);
    expect(json.tool_choice).toBe('required');
  });

  it.each([
    ['a required call without tools', { tool_choice: 'required' }, 'tool_choice'],
    [
      'an output without its call',
      { input: [{ type: 'function_call_output', call_id: 'a', output: 'b' }] },
      'input[0]',
    ],
    [
      'a choice that is no tool',
      { tools: [{ type: 'function', name: 'a' }], tool_choice: { type: 'function', name: 'b' } },
      'tool_choice',
    ],
  ])('names the field of %s as it was sent', async (_title, json, param) => {
    const answer = await serve().ask(json);
    expectError(answer, 400, 'invalid_request', param);
    expect(answer.json.error.message.startsWith(`${param}: `)).toBe(true);
  });

  it.each([
    ['messages', 'input'],
    ['messages[0].content', 'instructions'],
    ['messages[1].content', 'input'],
    ['tools[2].function.parameters', 'tools[2].parameters'],
    ['response_format', 'text.format'],
    ['response_format.json_schema.schema', 'text.format.schema'],
    ['max_tokens', 'max_output_tokens'],
    ['temperature', 'temperature'],
  ])('a fault of %s, found by the model, is one of %s', async (field, param) => {
    const { ask, stream } = serve({ error: fieldError(field, 'expected something else') });
    expectError(await ask({ instructions: 'a' }), 400, 'invalid_request', param);
    expect(JSON.parse((await stream({ instructions: 'a' })).text).error.param).toBe(param);
  });

  it('tells a failure after its first event', async () => {
    const error = new InferenceError('worker_failed', 'Gone.');
    const { stream, onError } = serve({ text: 'one two three', error, failAfter: 1 });
    const { events } = await stream();
    expect(events.at(-2)).toMatchObject({
      type: 'error',
      code: 'worker_failed',
      message: expect.stringMatching(/^Gone\./),
      param: null,
    });
    expect(events.at(-1)).toMatchObject({ type: 'response.failed', response: { status: 'failed' } });
    expect(onError).toHaveBeenCalledOnce();
  });

  it('hides what an internal error says', async () => {
    const { stream } = serve({ text: 'one two three', error: new Error('secret'), failAfter: 1 });
    const { text, events } = await stream();
    expect(text).not.toContain('secret');
    expect(events.at(-1).response.error.message).toMatch(/^Internal error\. Request id: /);
  });

  it('charges as a chat does', async () => {
    const charges: number[] = [];
    const { ask, stream } = serve({ text: 'one two three' }, metered(charges));
    await ask();
    await stream();
    expect(charges).toEqual([4, 4]);
  });

  it('ends when its client disconnects, who pays for what was sent', async () => {
    const charges: number[] = [];
    const { inference, open } = serve({ text: 'on '.repeat(1000), delayMs: 1 }, metered(charges));
    const abort = new AbortController();
    const pieces = await open(abort.signal);
    let text = '';
    while (!text.includes('output_text.delta')) text += (await pieces.next()).value;
    abort.abort();
    await vi.waitFor(() => expect(inference.running).toBe(0));
    expect(inference.cancelled).toBe(1);
    await vi.waitFor(() => expect(charges).toHaveLength(1));
    expect(charges[0]).toBeLessThan(100);
  });

  it.each([
    ['GET', '/v1/responses', 405, 'method_not_allowed', null],
    ['GET', '/v1/responses/resp_1', 400, 'unsupported_feature', 'response_id'],
    ['GET', '/v1/responses/resp_1/input_items', 400, 'unsupported_feature', 'response_id'],
    ['DELETE', '/v1/responses/resp_1', 400, 'unsupported_feature', 'response_id'],
    ['POST', '/v1/responses/resp_1/cancel', 400, 'unsupported_feature', 'response_id'],
  ])('%s %s is not offered where nothing is kept', async (method, url, status, code, param) => {
    const { handler } = serve();
    expectError(await send(handler, { method, url }), status, code, param);
  });

  it('names the tools that it has skipped', async () => {
    const { ask, stream } = serve();
    const tools = [{ type: 'web_search' }, { type: 'function', name: 'a' }, { type: 'local_shell' }];
    const { headers, json } = await ask({ tools });
    expect(headers['x-slashv1-tools-skipped']).toBe('web_search, local_shell');
    expect(json.tools).toMatchObject([{ type: 'function', name: 'a' }]);
    const streamed = await stream({ tools });
    expect(streamed.headers['x-slashv1-tools-skipped']).toBe('web_search, local_shell');
    expect((await ask()).headers).not.toHaveProperty('x-slashv1-tools-skipped');
    const many = Array.from({ length: 1000 }, (_, index) => ({ type: `search_${index}` }));
    expect(String((await ask({ tools: many })).headers['x-slashv1-tools-skipped'])).toMatch(
      /^search_0,.*\.\.\.$/,
    );
  });
});
