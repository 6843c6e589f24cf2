import type OpenAI from 'openai';
import { accumulateResponse } from 'openai/lib/responses/ResponseAccumulator';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ChatEvent, FinishReason } from '../../../../../src/categories/chat/events.ts';
import { fromResponsesRequest } from '../../../../../src/categories/chat/wire/responses/read.ts';
import {
  responseEventSchema,
  type ResponseEvent,
} from '../../../../../src/categories/chat/wire/responses/schema.ts';
import {
  createResponseStreamer,
  toModelResponse,
} from '../../../../../src/categories/chat/wire/responses/print.ts';
import { toResponseHead } from '../../../../../src/categories/chat/wire/responses/to-head.ts';

const call = fromResponsesRequest({ model: 'm', input: 'Hello' });
const head = toResponseHead(call, { id: 'resp_1', created: 1700000000, model: 'm' });
const start: ChatEvent = { type: 'prompt-end', promptTokens: 5 };
const text = (delta: string): ChatEvent => ({ type: 'text-delta', choice: 0, text: delta });
const reasoning = (delta: string): ChatEvent => ({ type: 'reasoning-delta', choice: 0, text: delta });
const called = (n: number, name: string): ChatEvent => ({
  type: 'tool-call-start',
  choice: 0,
  call: n,
  id: `call_${n}`,
  name,
});
const given = (n: number, delta: string): ChatEvent => ({
  type: 'tool-call-delta',
  choice: 0,
  call: n,
  arguments: delta,
});
const end = (finishReason: FinishReason): ChatEvent[] => [
  { type: 'choice-end', choice: 0, finishReason },
  { type: 'usage', promptTokens: 5, cachedTokens: 2, completionTokens: 7, reasoningTokens: 3 },
];
const logprob = { token: 'Hi', logprob: -0.5, bytes: [72, 105] };

const message = (content: string, status = 'completed', logprobs: object[] = []) => ({
  id: expect.stringMatching(/^msg_1_\d$/),
  type: 'message',
  status,
  role: 'assistant',
  content: [{ type: 'output_text', text: content, annotations: [], logprobs }],
});
const thought = (content: string, status = 'completed') => ({
  id: expect.stringMatching(/^rs_1_\d$/),
  type: 'reasoning',
  status,
  summary: [],
  content: [{ type: 'reasoning_text', text: content }],
});
const functionCall = (n: number, name: string, args: string, status = 'completed') => ({
  id: expect.stringMatching(/^fc_1_\d$/),
  type: 'function_call',
  status,
  call_id: `call_${n}`,
  name,
  arguments: args,
});

const answers: [title: string, events: ChatEvent[], status: string, output: object[]][] = [
  ['text', [start, text('Hi'), text(' you'), ...end('stop')], 'completed', [message('Hi you')]],
  ['no text', [start, ...end('stop')], 'completed', [message('')]],
  ['nothing but the end', end('stop'), 'completed', [message('')]],
  [
    'reasoning and text',
    [start, reasoning('Let me'), reasoning(' see'), text('Hi'), ...end('stop')],
    'completed',
    [thought('Let me see'), message('Hi')],
  ],
  [
    'hidden reasoning',
    [start, { type: 'hidden-tokens', choice: 0, tokens: 3 }, text('Hi'), ...end('stop')],
    'completed',
    [message('Hi')],
  ],
  [
    'calls',
    [
      start,
      called(0, 'weather'),
      given(0, '{"city":'),
      given(0, '"Ulm"}'),
      called(1, 'time'),
      given(1, '{}'),
      ...end('tool_calls'),
    ],
    'completed',
    [functionCall(0, 'weather', '{"city":"Ulm"}'), functionCall(1, 'time', '{}')],
  ],
  [
    'text before a call',
    [start, text('Wait.'), called(0, 'time'), given(0, '{}'), ...end('tool_calls')],
    'completed',
    [message('Wait.'), functionCall(0, 'time', '{}')],
  ],
  [
    'text that was cut off',
    [start, text('Hi'), ...end('length')],
    'incomplete',
    [message('Hi', 'incomplete')],
  ],
  [
    'reasoning that was cut off',
    [start, reasoning('Hm'), ...end('length')],
    'incomplete',
    [thought('Hm', 'incomplete')],
  ],
  [
    'a call that was cut off',
    [start, called(0, 'time'), given(0, '{"a'), ...end('length')],
    'incomplete',
    [functionCall(0, 'time', '{"a', 'incomplete')],
  ],
  [
    'a broken call',
    [start, called(0, 'time'), given(0, '{"a'), ...end('tool_calls')],
    'completed',
    [functionCall(0, 'time', '{"a', 'incomplete')],
  ],
  [
    'log probabilities',
    [
      start,
      { type: 'logprobs', choice: 0, tokens: [{ ...logprob, topLogprobs: [logprob] }] },
      text('Hi'),
      ...end('stop'),
    ],
    'completed',
    [message('Hi', 'completed', [{ ...logprob, top_logprobs: [logprob] }])],
  ],
];

const requiredFields = `id object created_at completed_at status incomplete_details model previous_response_id
  instructions output error tools tool_choice truncation parallel_tool_calls text top_p
  presence_penalty frequency_penalty top_logprobs temperature reasoning usage max_output_tokens
  max_tool_calls store background service_tier metadata safety_identifier prompt_cache_key`.split(/\s+/);

/** The events of a stream, numbered and of the published shapes. */
function streamed(events: readonly ChatEvent[]): ResponseEvent[] {
  const { push } = createResponseStreamer(head);
  const all = events.flatMap(push);
  expect(all.map((event) => event.sequence_number)).toEqual([...all.keys()]);
  for (const event of all) expect(responseEventSchema.parse(event)).toEqual(event);
  return all;
}

describe('a response', () => {
  afterEach(() => vi.useRealTimers());

  it.each(answers)('%s', (_title, events, status, output) => {
    vi.setSystemTime(1_700_000_060_500);
    expect(toModelResponse(events, head)).toEqual({
      ...head,
      status,
      completed_at: status === 'completed' ? 1_700_000_060 : null,
      error: null,
      incomplete_details: status === 'incomplete' ? { reason: 'max_output_tokens' } : null,
      output,
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2, cache_write_tokens: 0 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 12,
      },
    });
  });

  it.each(answers)(
    'streamed: %s; the openai package puts the same together',
    (_title, events, _status, output) => {
      const all = streamed(events);
      const withoutLast = all.slice(0, -1) as OpenAI.Responses.ResponseStreamEvent[];
      let snapshot: OpenAI.Responses.Response | undefined;
      for (const event of withoutLast) snapshot = accumulateResponse(event, snapshot);
      expect(snapshot!.output).toEqual(output);
      const last = all.at(-1) as Extract<ResponseEvent, { response: unknown }>;
      // A second may begin between the two.
      const { completed_at } = last.response;
      expect(last.response).toEqual({ ...toModelResponse(events, head), completed_at });
      expect(last.type).toBe(`response.${last.response.status}`);
    },
  );

  it('begins when the prompt has been read, and tells each item from its beginning to its end', () => {
    const { push } = createResponseStreamer(head);
    const types = (event: ChatEvent) => push(event).map(({ type }) => type.replace('response.', ''));
    expect(types({ type: 'prompt-start', promptTokens: 5 })).toEqual([]);
    expect(types(start)).toEqual(['created', 'in_progress']);
    expect(types(reasoning('Hm'))).toEqual([
      'output_item.added',
      'content_part.added',
      'reasoning_text.delta',
    ]);
    expect(types(reasoning('.'))).toEqual(['reasoning_text.delta']);
    const reasoningDone = ['reasoning_text.done', 'content_part.done', 'output_item.done'];
    const textAdded = ['output_item.added', 'content_part.added', 'output_text.delta'];
    expect(types(text('Hi'))).toEqual([...reasoningDone, ...textAdded]);
    const textDone = ['output_text.done', 'content_part.done', 'output_item.done'];
    expect(types(called(0, 'time'))).toEqual([...textDone, 'output_item.added']);
    expect(types(given(0, '{}'))).toEqual(['function_call_arguments.delta']);
    const callDone = ['function_call_arguments.done', 'output_item.done'];
    expect(end('tool_calls').flatMap(types)).toEqual([...callDone, 'completed']);
  });

  it('has the fields of a schema that is published', () => {
    const response = toModelResponse([start, ...end('stop')], head);
    // Those that the Open Responses specification requires.
    expect(Object.keys(response)).toEqual(expect.arrayContaining(requiredFields));
  });

  it('calls a function of a namespace by both names', () => {
    const namespaced = new Map([['files__read', { namespace: 'files', name: 'read' }]]);
    const events = [start, called(0, 'files__read'), given(0, '{}'), ...end('tool_calls')];
    const read = { ...functionCall(0, 'read', '{}'), namespace: 'files' };
    expect(toModelResponse(events, head, { namespaced }).output).toEqual([read]);
    const { push } = createResponseStreamer(head, { namespaced });
    const items = events.flatMap(push).flatMap((event) => ('item' in event ? [event.item] : []));
    expect(items).toMatchObject([{ name: 'read', namespace: 'files' }, read]);
  });

  it('has its reasoning encrypted once, where that is wanted', () => {
    const seal = vi.fn((plain: string) => `<${plain}>`);
    const { push } = createResponseStreamer(head, { seal });
    const events = [start, reasoning('Let'), reasoning(' me'), text('Hi'), ...end('stop')].flatMap(push);
    const [added, done] = events.flatMap((event) => ('item' in event ? [event.item] : []));
    expect(added).not.toHaveProperty('encrypted_content');
    expect(done).toMatchObject({ encrypted_content: '<Let me>', content: [{ text: 'Let me' }] });
    expect(events.at(-1)).toMatchObject({ response: { output: [done, { type: 'message' }] } });
    expect(seal).toHaveBeenCalledOnce();
  });

  it.each([
    ['before its first event', [], []],
    ['within a text', [start, text('Hi')], [message('Hi', 'incomplete')]],
  ])('fails %s', (_title, events, output) => {
    const { push, fail } = createResponseStreamer(head);
    const failure = { code: 'worker_failed', message: 'Gone.', param: null };
    const all = [...events.flatMap(push), ...fail(failure)];
    expect(all[0]!.type).toBe('response.created');
    expect(all.at(-2)).toMatchObject({ type: 'error', ...failure });
    expect(all.at(-1)).toMatchObject({
      type: 'response.failed',
      response: { status: 'failed', error: { code: 'server_error', message: 'Gone.' }, output },
    });
    expect(all.map((event) => event.sequence_number)).toEqual([...all.keys()]);
  });
});
