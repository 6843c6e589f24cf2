import { describe, expect, it } from 'vitest';
import { rerankResponseSchema } from '../../../../src/categories/rerank/wire/bodies.ts';
import { createHandler } from '../../../../src/create-handler.ts';
import { InferenceError } from '../../../../src/errors.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../../../src/testing/fake-inference.ts';
import { expectError, key, send } from '../../../server/support.ts';

const models = [
  'fake-chat',
  { id: 'first', category: 'rerank' as const },
  { id: 'second', category: 'rerank' as const },
];

function serve(options: FakeInferenceOptions = {}) {
  const inference = createFakeInference({ models, ...options });
  const handler = createHandler(inference, { auth: { keys: [key] }, onError: () => undefined });
  const rerank = (json: unknown) => send(handler, { url: '/v1/rerank', json });
  return { inference, handler, rerank };
}

const query = 'a red circle';
const documents = ['a blue square', 'a red circle', { text: 'a red square' }];

describe('POST /rerank', () => {
  it('answers best first', async () => {
    const { status, json } = await serve().rerank({ model: 'second', query, documents });
    expect(status).toBe(200);
    expect(json).toEqual({
      id: expect.stringMatching(/^rerank-\w+$/),
      model: 'second',
      results: [
        { index: 1, relevance_score: 1 },
        { index: 2, relevance_score: expect.closeTo(2 / 3) },
        { index: 0, relevance_score: expect.closeTo(1 / 3) },
      ],
      usage: { prompt_tokens: 18, total_tokens: 18 },
    });
    expect(rerankResponseSchema.safeParse(json).success).toBe(true);
  });

  it('gives the best few, and their texts as objects', async () => {
    const { rerank } = serve();
    const { json } = await rerank({ query, documents, top_n: 2, return_documents: true });
    expect(json.results.map(({ index, document }: any) => [index, document])).toEqual([
      [1, { text: 'a red circle' }],
      [2, { text: 'a red square' }],
    ]);
    expect(json.usage.prompt_tokens).toBe(18);
    expect(rerankResponseSchema.safeParse(json).success).toBe(true);
  });

  it.each([
    [undefined, 'first'],
    [null, 'first'],
    ['first', 'first'],
    ['second', 'second'],
  ])('model %j is %s', async (model, answered) => {
    expect((await serve().rerank({ model, query, documents })).json.model).toBe(answered);
  });

  it.each([
    [
      ['a', 'b'],
      ['a', 'b'],
    ],
    [[{ text: 'a' }], ['a']],
    [
      ['a', { text: '' }, ''],
      ['a', '', ''],
    ],
    [[{ text: 'a', title: 'ignored', id: 7 }], ['a']],
    [
      ['今日は 🙂', '\ud800'],
      ['今日は 🙂', '\ud800'],
    ],
  ])('documents %j', async (given, texts) => {
    const { rerank, inference } = serve();
    expect((await rerank({ query, documents: given })).status).toBe(200);
    expect(inference.requestsOf('rerank')).toEqual([
      {
        model: 'first',
        query,
        documents: texts,
        topN: undefined,
        returnDocuments: false,
        maxTokensPerDoc: undefined,
      },
    ]);
  });

  it('hands on every parameter and ignores what changes nothing', async () => {
    const { rerank, inference } = serve();
    const more = { top_n: 1, return_documents: true, max_tokens_per_doc: 7, truncation: true, user: 'u' };
    expect((await rerank({ query, documents, ...more })).json.results).toHaveLength(1);
    expect(inference.requestsOf('rerank')[0]).toMatchObject({
      topN: 1,
      returnDocuments: true,
      maxTokensPerDoc: 7,
    });
  });

  it.each<[unknown, string | null, string]>([
    [{ documents }, 'query', 'expected a string, got nothing'],
    [{ query: null, documents }, 'query', 'expected a string, got null'],
    [{ query: ['a'], documents }, 'query', 'expected a string, got an array'],
    [{ query: '', documents }, 'query', 'expected'],
    [{ query: ' \n', documents }, 'query', 'expected'],
    [{ query }, 'documents', 'expected an array, got nothing'],
    [{ query, documents: 'a' }, 'documents', 'expected an array, got "a"'],
    [{ query, documents: {} }, 'documents', 'expected an array, got an object'],
    [{ query, documents: [] }, 'documents', 'expected at least'],
    [{ query, documents: Array.from({ length: 2049 }, () => 'a') }, 'documents', '2048'],
    [{ query, documents: ['a', 7] }, 'documents[1]', 'expected'],
    [{ query, documents: [null] }, 'documents[0]', 'expected'],
    [{ query, documents: [['a']] }, 'documents[0]', 'expected'],
    [{ query, documents: ['a', {}] }, 'documents[1].text', 'expected a string, got nothing'],
    [{ query, documents: [{ text: 5 }] }, 'documents[0].text', 'expected a string, got 5'],
    [{ query, documents, top_n: 0 }, 'top_n', 'got 0'],
    [{ query, documents, top_n: 2049 }, 'top_n', 'got 2049'],
    [{ query, documents, top_n: 1.5 }, 'top_n', 'got 1.5'],
    [{ query, documents, top_n: '2' }, 'top_n', 'got "2"'],
    [{ query, documents, return_documents: 'yes' }, 'return_documents', 'expected a boolean, got "yes"'],
    [{ query, documents, max_tokens_per_doc: 0 }, 'max_tokens_per_doc', 'got 0'],
    [{ query, documents, max_tokens_per_doc: -1 }, 'max_tokens_per_doc', 'got -1'],
    [{ query, documents, model: 1 }, 'model', 'got 1'],
    ['a', null, 'not valid'],
    [[query], null, 'not valid'],
  ])('refuses %.70j', async (body, param, message) => {
    const { rerank, inference } = serve();
    const answer = await rerank(body);
    expectError(answer, 400, 'invalid_request', param);
    expect(answer.json.error.message).toContain(message);
    expect(inference.requestsOf('rerank')).toEqual([]);
  });

  it.each([
    ['rank_fields', ['title']],
    ['max_chunks_per_doc', 3],
    ['overlap_tokens', 8],
    ['truncation', false],
  ])('refuses %s, which it knows but does not offer', async (name, value) => {
    const answer = await serve().rerank({ query, documents, [name]: value });
    expectError(answer, 400, 'unsupported_feature', name);
  });

  it('takes 2048 documents', async () => {
    const { rerank } = serve();
    const { json } = await rerank({ query, documents: Array.from({ length: 2048 }, () => 'a') });
    expect(json.results).toHaveLength(2048);
  });

  it.each([
    ['nope', 404, 'model_not_found'],
    ['fake-chat', 400, 'invalid_request'],
  ])('model %s', async (model, status, code) => {
    expectError(await serve().rerank({ model, query, documents }), status, code, 'model');
  });

  it('says that there is no rerank model', async () => {
    const answer = await serve({ models: ['fake-chat'] }).rerank({ query, documents });
    expectError(answer, 404, 'model_not_found', 'model');
  });

  it('tells what the model says of a query', async () => {
    const error = new InferenceError('context_length_exceeded', 'query: too long', { param: 'query' });
    const { rerank } = serve({ ranking: () => Promise.reject(error) });
    expectError(await rerank({ query, documents }), 400, 'context_length_exceeded', 'query');
  });

  it.each(['GET', 'PUT'])('refuses the method %s', async (method) => {
    const answer = await send(serve().handler, { url: '/v1/rerank', method });
    expectError(answer, 405, 'method_not_allowed');
    expect(answer.headers['allow']).toBe('POST');
  });

  it('charges the tokens of the pairs', async () => {
    const inference = createFakeInference({ models });
    const plans = { small: { quota: { tokens: 19, perSeconds: 3600 } } };
    const handler = createHandler(inference, { auth: { keys: [{ key, plan: 'small' }] }, plans });
    const rerank = () => send(handler, { url: '/v1/rerank', json: { query, documents } });
    expect((await rerank()).status).toBe(200);
    expect((await rerank()).status).toBe(200);
    expectError(await rerank(), 403, 'quota_exceeded');
  });
});

describe('in the same process', () => {
  it('gives results as the wire does, without the wire', async () => {
    const { inference } = serve();
    const { results, promptTokens } = await inference.rerank({ model: 'first', query, documents, topN: 1 });
    expect([results, promptTokens]).toEqual([[{ index: 1, relevanceScore: 1 }], 18]);
  });

  it.each([
    [{ query: '', documents }, 'query'],
    [{ query, documents: [] }, 'documents'],
    [{ query, documents: Array.from({ length: 2049 }, () => 'a') }, 'documents'],
    [{ query, documents, topN: 0 }, 'top_n'],
    [{ query, documents, maxTokensPerDoc: 0.5 }, 'max_tokens_per_doc'],
  ])('refuses %.70j', async (request, param) => {
    const { inference } = serve();
    await expect(inference.rerank({ model: 'first', ...request })).rejects.toMatchObject({
      code: 'invalid_request',
      param,
    });
  });
});

describe('discovery', () => {
  it('has the parameters of rerank models', async () => {
    const { json } = await send(serve().handler, { url: '/v1/models/first/parameters' });
    expect(json).toMatchObject({ model_id: 'first', category: 'rerank' });
    expect(json.parameters).toMatchObject({
      top_n: { type: 'int', min: 1, max: 2048 },
      return_documents: { type: 'boolean', default: false },
      max_tokens_per_doc: { type: 'int', min: 1 },
    });
    expect(Object.keys(json.parameters)).toHaveLength(3);
  });

  it('describes the body and the answer', async () => {
    const { json } = await send(serve().handler, { url: '/v1/openapi.json' });
    const { RerankRequest: body, RerankResponse: answer } = json.components.schemas;
    expect(body.required).toEqual(['query', 'documents']);
    expect(body.properties.documents).toMatchObject({ type: 'array', minItems: 1, maxItems: 2048 });
    expect(JSON.stringify(body.properties.documents.items)).toContain('"text"');
    expect(body.properties.return_documents).toMatchObject({ default: false });
    expect(answer.required).toEqual(['id', 'model', 'results', 'usage']);
    expect(Object.keys(json.paths['/rerank'].post.responses)).toEqual(
      expect.arrayContaining(['200', '400', '401', '404', '503']),
    );
  });
});
