import { describe, expect, it } from 'vitest';
import { decodeFloat32 } from '../../../../src/core/embedding/base64.ts';
import { InferenceError } from '../../../../src/errors.ts';
import { createHandler } from '../../../../src/create-handler.ts';
import {
  embeddingResponseSchema,
  toEmbeddingResponse,
} from '../../../../src/categories/embedding/wire/bodies.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../../../src/testing/fake-inference.ts';
import { expectError, key, send, toRequest } from '../../../server/support.ts';

const models = [
  'fake-chat',
  { id: 'first', category: 'embedding' as const, vectorSizes: { default: 16, min: 4, max: 16 } },
  { id: 'second', category: 'embedding' as const },
];

function serve(options: FakeInferenceOptions = {}) {
  const inference = createFakeInference({ models, ...options });
  const handler = createHandler(inference, { auth: { keys: [key] }, onError: () => undefined });
  const embed = (json: unknown) => send(handler, { url: '/v1/embeddings', json });
  return { inference, handler, embed };
}

describe('POST /embeddings', () => {
  it('answers in the order of the inputs', async () => {
    const { embed } = serve();
    const { status, json } = await embed({ model: 'second', input: ['a red circle', 'b', 'a red circle'] });
    expect(status).toBe(200);
    expect(json).toEqual({
      object: 'list',
      data: [0, 1, 2].map((index) => ({
        object: 'embedding',
        index,
        embedding: expect.arrayContaining([expect.any(Number)]),
      })),
      model: 'second',
      usage: { prompt_tokens: 7, total_tokens: 7 },
    });
    expect(json.data[0].embedding).toEqual(json.data[2].embedding);
    expect(json.data[0].embedding).not.toEqual(json.data[1].embedding);
    expect(embeddingResponseSchema.safeParse(json).success).toBe(true);
  });

  it('writes the same vectors as numbers and as base64', async () => {
    const { embed } = serve();
    const input = 'two blue squares';
    const numbers = (await embed({ input })).json.data[0].embedding as number[];
    const { json } = await embed({ input, encoding_format: 'base64' });
    expect([...decodeFloat32(json.data[0].embedding)]).toEqual(numbers);
  });

  it.each(['float', 'base64'] as const)('writes a large answer in pieces, as %s', async (encodingFormat) => {
    const embeddings = Array.from({ length: 1000 }, (_, index) => new Float32Array(100).fill(index / 7));
    const result = { embeddings, promptTokens: 5000 };
    const inference = createFakeInference({ models, embeddings: () => result });
    const request = toRequest({
      url: '/v1/embeddings',
      json: { input: 'a', encoding_format: encodingFormat },
    });
    const { status, headers, body } = await createHandler(inference, { auth: { keys: [key] } })(request);
    const pieces: string[] = [];
    for await (const piece of body as AsyncIterable<string>) pieces.push(piece);
    expect([status, headers['content-type']]).toEqual([200, 'application/json; charset=utf-8']);
    expect(pieces.length).toBeGreaterThan(2);
    expect(pieces.join('')).toBe(
      JSON.stringify(toEmbeddingResponse(result, { model: 'first', encodingFormat })),
    );
  });

  it.each([
    [undefined, 'first'],
    [null, 'first'],
    ['first', 'first'],
    ['second', 'second'],
  ])('model %j is %s', async (model, answered) => {
    expect((await serve().embed({ model, input: 'a' })).json.model).toBe(answered);
  });

  it.each<[unknown, readonly unknown[], boolean]>([
    ['a', ['a'], false],
    [['a', ' '], ['a', ' '], true],
    [[1, 2], [[1, 2]], false],
    [[[1], [2, 3]], [[1], [2, 3]], true],
  ])('input %j', async (input, inputs, isList) => {
    const { embed, inference } = serve();
    expect((await embed({ input })).status).toBe(200);
    expect(inference.requestsOf('embedding')).toEqual([
      { model: 'first', inputs, isList, dimensions: undefined, truncate: false, promptName: undefined },
    ]);
  });

  it('hands on every parameter and ignores what changes nothing', async () => {
    const { embed, inference } = serve();
    const { json } = await embed({
      input: 'a b c',
      dimensions: 4,
      truncate: true,
      prompt_name: 'query',
      user: 'u',
    });
    expect(json.data[0].embedding).toHaveLength(4);
    expect(inference.requestsOf('embedding')[0]).toMatchObject({
      dimensions: 4,
      truncate: true,
      promptName: 'query',
    });
  });

  it.each<[unknown, string | null, string]>([
    [{}, 'input', 'expected a string or an array, got nothing'],
    [{ input: null }, 'input', 'got null'],
    [{ input: 5 }, 'input', 'got 5'],
    [{ input: '' }, 'input', 'expected a non-empty text, got ""'],
    [{ input: [] }, 'input', 'expected at least one text, got none'],
    [{ input: ['a', 'b', ''] }, 'input[2]', 'expected a non-empty text, got ""'],
    [{ input: ['a', 7] }, 'input[1]', 'expected a string, got 7'],
    [{ input: ['a', ['b']] }, 'input[1]', 'expected a string, got an array'],
    [{ input: [[1], []] }, 'input[1]', 'expected at least one token id, got none'],
    [{ input: [[1], [2, -3]] }, 'input[1][1]', 'expected a token id, got -3'],
    [{ input: [[1], 'a'] }, 'input[1]', 'expected a string or token ids, got "a"'],
    [{ input: [1, 2.5] }, 'input[1]', 'expected a token id, got 2.5'],
    [{ input: [null] }, 'input[0]', 'expected a string or token ids, got null'],
    [{ input: Array.from({ length: 2049 }, () => 'a') }, 'input', 'expected at most 2048 texts, got 2049'],
    [{ input: 'a', encoding_format: 'int8' }, 'encoding_format', 'expected "float" or "base64", got "int8"'],
    [{ input: 'a', dimensions: 0 }, 'dimensions', 'got 0'],
    [{ input: 'a', dimensions: 1.5 }, 'dimensions', 'got 1.5'],
    [{ input: 'a', truncate: 'yes' }, 'truncate', 'expected a boolean, got "yes"'],
    [{ input: 'a', prompt_name: 1 }, 'prompt_name', 'expected a string, got 1'],
    [{ input: 'a', model: 1 }, 'model', 'got 1'],
    ['a', null, 'not valid'],
  ])('refuses %.60j', async (body, param, message) => {
    const { embed, inference } = serve();
    const answer = await embed(body);
    expectError(answer, 400, 'invalid_request', param);
    expect(answer.json.error.message).toContain(message);
    expect(inference.requestsOf('embedding')).toEqual([]);
  });

  it.each([
    ['input_type', 'query'],
    ['task', 'retrieval.query'],
    ['truncate_prompt_tokens', 5],
    ['normalize', false],
    ['late_chunking', true],
  ])('refuses %s, which it knows but does not offer', async (name, value) => {
    expectError(await serve().embed({ input: 'a', [name]: value }), 400, 'unsupported_feature', name);
  });

  it('takes 2048 texts and half a million token ids', async () => {
    const { embed, inference } = serve();
    expect((await embed({ input: Array.from({ length: 2048 }, () => 'a') })).json.data).toHaveLength(2048);
    expect(
      (await embed({ input: Array.from({ length: 500 }, () => Array.from({ length: 1000 }, () => 7)) }))
        .status,
    ).toBe(200);
    expect(inference.requestsOf('embedding')).toHaveLength(2);
  });

  it.each([
    ['nope', 404, 'model_not_found'],
    ['fake-chat', 400, 'invalid_request'],
  ])('model %s', async (model, status, code) => {
    expectError(await serve().embed({ model, input: 'a' }), status, code, 'model');
  });

  it('says that there is no embedding model', async () => {
    const answer = await serve({ models: ['fake-chat'] }).embed({ input: 'a' });
    expectError(answer, 404, 'model_not_found', 'model');
  });

  it('tells what the model says of an input', async () => {
    const error = new InferenceError('context_length_exceeded', 'input[3]: too long', { param: 'input[3]' });
    const { embed } = serve({ embeddings: () => Promise.reject(error) });
    expectError(await embed({ input: ['a'] }), 400, 'context_length_exceeded', 'input[3]');
  });

  it('charges the tokens of the inputs', async () => {
    const inference = createFakeInference({ models });
    const plans = { small: { quota: { tokens: 5, perSeconds: 3600 } } };
    const handler = createHandler(inference, { auth: { keys: [{ key, plan: 'small' }] }, plans });
    const embed = () => send(handler, { url: '/v1/embeddings', json: { input: 'one two three' } });
    expect((await embed()).status).toBe(200);
    expect((await embed()).status).toBe(200);
    expectError(await embed(), 403, 'quota_exceeded');
  });
});

describe('discovery', () => {
  it('has the parameters of embedding models', async () => {
    const { handler } = serve();
    const { json } = await send(handler, { url: '/v1/models/first/parameters' });
    expect(json).toMatchObject({ model_id: 'first', category: 'embedding' });
    expect(Object.keys(json.parameters)).toEqual(['dimensions', 'truncate', 'prompt_name']);
    expect(json.parameters.dimensions).toMatchObject({ type: 'int', min: 4, max: 16, default: 16 });
  });

  it('describes the input', async () => {
    const { json } = await send(serve().handler, { url: '/v1/openapi.json' });
    const { properties, required } = json.components.schemas.EmbeddingRequest;
    expect(required).toEqual(['input']);
    expect(properties.input.anyOf).toHaveLength(4);
    expect(JSON.stringify(properties.input)).toContain('"maxItems":2048');
    expect(properties.encoding_format).toMatchObject({ default: 'float' });
  });
});
