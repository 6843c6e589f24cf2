import { describe, expect, it } from 'vitest';
import { createHandler } from '../../src/create-handler.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { sentForm, uploadOf } from './forms.ts';
import { chatBody, expectError, send } from './support.ts';

const inference = createFakeInference({
  models: [
    'fake-chat',
    { id: 'fake-embed', category: 'embedding' },
    { id: 'fake-listener', category: 'transcription' },
  ],
});
const handler = createHandler(inference, { auth: 'none' });
const strict = createHandler(inference, { auth: 'none', unknownFields: 'refuse' });
const many = Object.fromEntries(Array.from({ length: 2000 }, (_, index) => [`unknown_${index}`, 1]));

describe('unknown fields of a body', () => {
  it.each<[string, object, string | undefined]>([
    ['none', {}, undefined],
    [
      'those that are known',
      { user: 'u', repetition_penalty: 1.2, top_k: 3, modalities: ['text'] },
      undefined,
    ],
    ['sorted', { something_new: 1, brand_new: null }, 'brand_new, something_new'],
    ['any name', { 'a\r\nb': 1, ['x'.repeat(999)]: 1, ß: 1 }, `?, a??b, ${'x'.repeat(64)}`],
  ])('%s', async (_name, additions, named) => {
    const answer = await send(handler, { json: chatBody(additions) });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['x-ignored-fields']).toBe(named);
  });

  it.each<[string, object, string | undefined]>([
    [
      'of messages, by their role',
      {
        messages: [
          { role: 'user', content: 'Hi', tool_calls: [] },
          { role: 'assistant', content: 'Hi', reasoning: 'Hm', refusal: null, annotations: [], foo: 1 },
          { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: {} }] },
        ],
      },
      'messages[0].tool_calls, messages[1].foo, messages[2].content[0].cache_control',
    ],
    [
      'of tools, but for schemas',
      {
        tools: [
          {
            type: 'function',
            function: { name: 'f', bar: 1, parameters: { type: 'object', any: 1 } },
            strict: 1,
          },
        ],
      },
      'tools[0].function.bar, tools[0].strict',
    ],
    [
      'of objects',
      { stream: true, stream_options: { include_usage: true, chunk_size: 1 } },
      'stream_options.chunk_size',
    ],
    ['of none that may have any', { chat_template_kwargs: { any: 1 }, documents: [{ any: 1 }] }, undefined],
  ])('%s are named by their path', async (_name, additions, named) => {
    const answer = await send(handler, { json: chatBody(additions) });
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['x-ignored-fields']).toBe(named);
  });

  it('are named up to a number', async () => {
    const { headers } = await send(handler, { json: chatBody(many) });
    expect(String(headers['x-ignored-fields']).split(', ')).toHaveLength(17);
    expect(headers['x-ignored-fields']).toMatch(/, \.\.\.$/);
  });

  it('are named of a stream, of embeddings and of a form', async () => {
    const stream = await send(handler, { json: chatBody({ stream: true, something_new: 1 }) });
    const embedding = { url: '/v1/embeddings', json: { input: 'Hi', something_new: 1 } };
    const form = sentForm(
      uploadOf({ something_new: '1', 'timestamp_granularities[]': 'segment', user: 'u' }),
    );
    const answers = [stream, await send(handler, embedding), await send(handler, form)];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(answers.map(({ headers }) => headers['x-ignored-fields'])).toEqual(Array(3).fill('something_new'));
  });

  it('are refused where the service says so', async () => {
    expectError(
      await send(strict, { json: chatBody({ something_new: 1 }) }),
      400,
      'invalid_request',
      'something_new',
    );
    expectError(
      await send(strict, sentForm(uploadOf({ something_new: '1' }))),
      400,
      'invalid_request',
      'something_new',
    );
    expect((await send(strict, { json: chatBody({ user: 'u', top_k: 3 }) })).status).toBe(200);
  });

  it.each(['Refuse', true, ''])('%j is no treatment of them', (unknownFields) => {
    expect(() => createHandler(inference, { auth: 'none', unknownFields: unknownFields as never })).toThrow(
      /^unknownFields: /,
    );
  });
});
