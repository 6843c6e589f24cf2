import { describe, expect, it } from 'vitest';
import { chatParameters } from '../../src/categories/chat/parameters.ts';
import { toWireName, type ParameterDescriptor } from '../../src/core/parameters/descriptor.ts';
import { createHandler } from '../../src/create-handler.ts';
import { createHealthHandler } from '../../src/server/health.ts';
import { createFakeInference } from '../../src/testing/fake-inference.ts';
import { send } from './support.ts';

const inference = createFakeInference({
  models: ['fake-chat', { id: 'tiny', name: 'Tiny', contextLength: 200 }],
});
const handler = createHandler(inference, { auth: 'none' });
// A description has no type for lists.
const parameters = Object.entries<ParameterDescriptor>(chatParameters).filter(
  ([, { type }]) => type !== 'strings',
);

describe('GET /models/{id}/parameters', () => {
  it('describes the model', async () => {
    const { json } = await send(handler, { url: '/v1/models/tiny/parameters' });
    expect({ ...json, parameters: undefined }).toEqual({
      model_id: 'tiny',
      model_name: 'Tiny',
      category: 'chat',
      context_length: 200,
    });
  });

  it('has the parameters of the table', async () => {
    const { json } = await send(handler, { url: '/v1/models/fake-chat/parameters' });
    expect(Object.keys(json.parameters)).toEqual(parameters.map(([name]) => toWireName(name)));
    for (const [name, descriptor] of parameters) {
      const max = name === 'maxTokens' ? { max: 2048 } : {};
      expect(json.parameters[toWireName(name)]).toEqual({ ...descriptor, ...max });
    }
  });

  it('has numbers as the specification gives them', async () => {
    const { json } = await send(handler, { url: '/v1/models/fake-chat/parameters' });
    expect(json.parameters).toMatchObject({
      temperature: { type: 'float', min: 0, max: 2, default: 0.7, section: 'basic' },
      repeat_penalty: { type: 'float', min: 0, max: 3, default: 1.1, section: 'advanced' },
      top_k: { type: 'int', min: 0, max: 500, default: 0 },
      seed: { type: 'int', min: 0, max: 2147483648 },
      include_reasoning: { type: 'boolean', default: true },
    });
    expect(json.parameters.seed).not.toHaveProperty('default');
  });

  it('offers no more tokens than the context holds', async () => {
    const { json } = await send(handler, { url: '/v1/models/tiny/parameters' });
    expect(json.parameters.max_tokens).toMatchObject({ min: 1, max: 200, default: 200 });
  });
});

describe('GET /openapi.json', () => {
  it('describes every endpoint', async () => {
    const { json } = await send(handler, { url: '/v1/openapi.json' });
    expect(json.openapi).toMatch(/^3\.1\./);
    const operations = Object.entries<object>(json.paths).map(([path, methods]) => [
      path,
      Object.keys(methods),
    ]);
    expect(operations).toEqual([
      ['/images/generations', ['post']],
      ['/audio/transcriptions', ['post']],
      ['/audio/translations', ['post']],
      ['/audio/speech', ['post']],
      ['/audio/voices', ['get']],
      ['/detect', ['post']],
      ['/rerank', ['post']],
      ['/embeddings', ['post']],
      ['/chat/completions', ['post']],
      ['/completions', ['post']],
      ['/responses', ['post']],
      ['/responses/input_tokens', ['post']],
      ['/responses/{response_id}/input_items', ['get']],
      ['/responses/{response_id}/cancel', ['post']],
      ['/responses/{response_id}', ['get', 'delete']],
      ['/conversations/{conversation_id}/items/{item_id}', ['get', 'delete']],
      ['/conversations/{conversation_id}/items', ['get', 'post']],
      ['/conversations/{conversation_id}', ['get', 'post', 'delete']],
      ['/conversations', ['post']],
      ['/messages', ['post']],
      ['/messages/count_tokens', ['post']],
      ['/tokenize', ['post']],
      ['/detokenize', ['post']],
      ['/realtime', ['get']],
      ['/models', ['get']],
      ['/models/{model_id}/parameters', ['get']],
      ['/models/{model_id}/load', ['post']],
      ['/models/{model_id}/unload', ['post']],
      ['/models/{model_id}', ['get']],
      ['/openapi.json', ['get']],
    ]);
    expect(json.security).toEqual([{ apiKey: [] }]);
    expect(json.components.securitySchemes.apiKey).toEqual({ type: 'http', scheme: 'bearer' });
    const { '/realtime': live, ...others } = json.paths;
    expect(live.get).toMatchObject({
      'x-websocket-messages': ['Live', 'Voice'].map((name) => ({
        client: { $ref: `#/components/schemas/${name}ClientEvent` },
        server: { $ref: `#/components/schemas/${name}ServerEvent` },
      })),
      responses: {
        101: { description: expect.stringContaining('LiveClientEvent') },
        400: {},
        401: {},
        429: {},
      },
    });
    expect(live.get.responses[200]).toBeUndefined();
    expect(json.components.schemas).toMatchObject({ LiveClientEvent: {}, LiveServerEvent: {} });
    for (const operation of Object.values<any>(others).flatMap((methods) => Object.values<any>(methods))) {
      expect(operation.responses).toMatchObject({ 200: { description: 'Success.' }, 401: {}, 500: {} });
      for (const [status, { description, content }] of Object.entries<any>(operation.responses)) {
        expect(description).toMatch(/\S/);
        if (status !== '200') expect(content['application/json'].schema.$ref).toMatch(/\/(Message)?Error$/);
      }
    }
    expect(Object.keys(json.paths['/chat/completions'].post.responses)).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '408',
      '413',
      '415',
      '429',
      '500',
      '502',
      '503',
      '504',
      '507',
    ]);
    expect(json.paths['/models/{model_id}'].get.parameters).toEqual([
      {
        name: 'model_id',
        in: 'path',
        description: expect.stringContaining('`GET /v1/models`') as string,
        required: true,
        schema: { type: 'string' },
      },
    ]);
  });

  it('describes forms, audio and queries', async () => {
    const { json } = await send(handler, { url: '/v1/openapi.json' });
    const { post: transcription } = json.paths['/audio/transcriptions'];
    expect(Object.keys(transcription.requestBody.content)).toEqual(['multipart/form-data']);
    expect(Object.keys(transcription.responses[200].content)).toEqual([
      'application/json',
      'text/plain',
      'application/x-subrip',
      'text/vtt',
      'text/event-stream',
    ]);
    const { required, properties } = json.components.schemas.TranscriptionRequest;
    expect(required).toEqual(['file']);
    expect(properties).toMatchObject({
      file: { type: 'string', format: 'binary' },
      response_format: {
        enum: ['json', 'text', 'verbose_json', 'srt', 'vtt', 'diarized_json'],
        default: 'json',
      },
      temperature: { minimum: 0, maximum: 1, default: 0 },
    });
    const { post: speech } = json.paths['/audio/speech'];
    expect(speech.responses[200].content['audio/wav'].schema.$ref).toBe('#/components/schemas/Audio');
    expect(json.components.schemas.Audio).toEqual({ type: 'string', format: 'binary' });
    expect(json.components.schemas.SpeechRequest.required).toEqual(['input']);
    expect(json.components.schemas.SpeechRequest.properties).toMatchObject({
      input: { minLength: 1, maxLength: 32_768 },
      voice: { default: 'af_heart' },
      speed: { minimum: 0.25, maximum: 4 },
    });
    expect(json.paths['/audio/voices'].get.parameters).toEqual([
      { name: 'model', in: 'query', description: expect.stringMatching(/\S/), schema: { type: 'string' } },
    ]);
    expect(json.paths['/conversations/{conversation_id}/items'].get.parameters.slice(1)).toMatchObject([
      { name: 'limit', schema: { type: 'integer', minimum: 1, maximum: 100 } },
      { name: 'order', schema: { enum: ['asc', 'desc'] } },
      { name: 'after', schema: { type: 'string' } },
    ]);
    expect(json.paths['/conversations'].post.requestBody.required).toBe(false);
  });

  it('lists the models whose voices can be had', async () => {
    const talking = createFakeInference({
      models: ['fake-chat', { id: 'alto', category: 'speech' }, { id: 'bass', category: 'speech' }],
    });
    const answer = await send(createHandler(talking, { auth: 'none' }), { url: '/v1/openapi.json' });
    const [model] = answer.json.paths['/audio/voices'].get.parameters;
    expect(model.schema).toEqual({ enum: ['alto', 'bass'] });
  });

  it('has no reference that leads nowhere', async () => {
    const { json, text } = await send(handler, { url: '/v1/openapi.json' });
    const references = [...text.matchAll(/"\$ref":"([^"]*)"/g)].map(([, reference]) => reference!);
    expect(references.length).toBeGreaterThan(5);
    for (const reference of references) {
      expect(reference).toMatch(/^#\//);
      const target = reference
        .slice(2)
        .split('/')
        .reduce((at, step) => at?.[step], json);
      expect(target, reference).toBeTypeOf('object');
    }
  });

  it.each(parameters)(
    'has the bounds of %s',
    async (name, { type, min, max, default: byDefault, description }) => {
      const { json } = await send(handler, { url: '/v1/openapi.json' });
      const schema = json.components.schemas.ChatCompletionRequest.properties[toWireName(name)];
      const isList = type === 'strings';
      const jsonType = {
        float: 'number',
        int: 'integer',
        boolean: 'boolean',
        string: 'string',
        strings: 'array',
      };
      expect(schema).toEqual({
        type: [jsonType[type], 'null'],
        description,
        ...(isList ? { items: { type: 'string' } } : {}),
        ...(min === undefined ? {} : { minimum: min }),
        ...(max === undefined ? {} : { [isList ? 'maxItems' : 'maximum']: max }),
        ...(byDefault === undefined ? {} : { default: byDefault }),
      });
    },
  );

  it('says what a chat request needs', async () => {
    const { json } = await send(handler, { url: '/v1/openapi.json' });
    const schema = json.components.schemas.ChatCompletionRequest;
    expect(schema.required).toEqual(['model', 'messages']);
    expect(schema.properties.messages).toMatchObject({ type: 'array', minItems: 1 });
    expect(schema.properties.messages.items.oneOf).toHaveLength(4);
    expect(JSON.stringify(schema.properties.stop)).toContain('"maxItems":4');
    expect(JSON.stringify(schema.properties.logit_bias)).toContain('"minimum":-100,"maximum":100');
  });
});

describe('health', () => {
  it.each([
    ['ready', 200],
    ['loading', 503],
    ['closed', 503],
    ['failed', 503],
    ['unreachable', 503],
  ] as const)('%s → %d', async (state, status) => {
    const health = createHealthHandler(createFakeInference({ models: ['a', 'b'], state }));
    const answer = await send(health, { url: '/health', headers: {} });
    expect(answer.status).toBe(status);
    expect(answer.json).toEqual({
      status: state,
      models: ['a', 'b'].map((id) => ({ id, state, running: 0, waiting: 0 })),
    });
    expect(answer.headers['x-request-id']).toMatch(/./);
  });

  it.each([
    ['/health/ready', 'ready', 200],
    ['/health/ready', 'unloaded', 200],
    ['/health/ready', 'draining', 503],
    ['/health/live', 'ready', 200],
    ['/health/live?verbose', 'loading', 200],
    ['/health/live/', 'failed', 200],
    ['/health/live', 'closed', 200],
  ] as const)('%s, %s → %d', async (url, state, expected) => {
    const health = createHealthHandler(createFakeInference({ state }));
    const { status, json } = await send(health, { url, headers: {} });
    expect(status).toBe(expected);
    expect(json.status).toBe(url.includes('live') ? 'live' : state === 'unloaded' ? 'ready' : state);
  });

  it('tells the worst state', async () => {
    const models = createFakeInference({ models: ['a', 'b'] });
    const states = ['failed', 'loading'] as const;
    const status = () => models.status().map((model, index) => ({ ...model, state: states[index]! }));
    expect((await send(createHealthHandler({ ...models, status }), { url: '/' })).json.status).toBe('failed');
  });

  it.each([
    [['a'], 'ready', 200],
    [['b'], 'failed', 503],
    [['a', 'b'], 'failed', 503],
    [['a', 'c'], 'missing', 503],
  ] as const)('requires %j → %s', async (requiredModels, state, expected) => {
    const models = createFakeInference({ models: ['a', 'b'] });
    const states = ['ready', 'failed'] as const;
    const status = () => models.status().map((model, index) => ({ ...model, state: states[index]! }));
    const answer = await send(createHealthHandler({ status }, { requiredModels }), { url: '/health' });
    expect([answer.status, answer.json.status]).toEqual([expected, state]);
    expect(answer.json.models).toHaveLength(2);
  });

  it('has no other setting', () => {
    const options = { required: ['a'] } as object;
    expect(() => createHealthHandler(inference, options)).toThrow(
      /required: createHealthHandler has no such/,
    );
  });

  it('is for reading', async () => {
    const health = createHealthHandler(inference);
    expect((await send(health, { method: 'HEAD' })).text).toBe('');
    const answer = await send(health, { method: 'POST' });
    expect([answer.status, answer.headers['allow']]).toEqual([405, 'GET, HEAD']);
  });
});
