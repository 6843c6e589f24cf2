import { describe, expect, it } from 'vitest';
import { InferenceError } from '../../src/errors.ts';
import { expectError } from '../server/support.ts';
import { least, serve, type Path } from './api.ts';

const paths = Object.keys(least) as Path[];
const gets = ['/v1/audio/voices', '/v1/models/thinker/parameters'];
const everywhere = [...paths, ...gets];

function ask(service: ReturnType<typeof serve>, path: string, authorization: string | undefined) {
  const headers = { authorization };
  return gets.includes(path)
    ? service.get(path, { headers })
    : service.post(path as Path, {}, { headers: { ...headers, ...(path.includes('transcr') ? {} : json) } });
}
const json = { 'content-type': 'application/json' };

describe('the least request', () => {
  it.each([
    ['/v1/chat/completions', { object: 'chat.completion', choices: [{ index: 0 }] }],
    ['/v1/images/generations', { data: [{ b64_json: expect.stringMatching(/^[A-Za-z0-9+/]+=*$/) }] }],
    ['/v1/audio/transcriptions', { text: 'a red circle' }],
    ['/v1/detect', { detections: [{ class_name: 'circle', confidence: 0.5 }] }],
    ['/v1/embeddings', { data: [{ embedding: expect.arrayContaining([expect.any(Number)]) }] }],
  ] as const)('of POST %s is answered', async (path, expected) => {
    const detections = [
      { className: 'circle', classId: 1, confidence: 0.5, box: { x1: 1, y1: 2, x2: 3, y2: 4 } },
    ];
    const service = serve({
      transcript: 'a red circle',
      detections: { detections, image: { width: 64, height: 64 } },
    });
    const answer = await service.post(path);
    expect(answer.status, answer.text).toBe(200);
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    expect(answer.json).toMatchObject(expected);
  });

  it('of POST /v1/audio/speech is answered with audio', async () => {
    const answer = await serve().post('/v1/audio/speech');
    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'audio/wav']);
    expect(answer.text).toMatch(/^RIFF[^]{4}WAVE/);
  });

  it('of GET /v1/audio/voices lists the voices of speech models', async () => {
    const { status, json: voices } = await serve().get('/v1/audio/voices');
    expect(status).toBe(200);
    const heart = { id: 'af_heart', name: 'Heart', language: 'en-US', model: 'speaker' };
    expect(voices).toMatchObject({ object: 'list', voices: [heart] });
  });

  it('of GET /v1/models/{model_id}/parameters describes the parameters', async () => {
    const { status, json: described } = await serve().get('/v1/models/thinker/parameters');
    expect(status).toBe(200);
    expect(described).toMatchObject({
      model_id: 'thinker',
      model_name: 'Thinker',
      category: 'chat',
      context_length: 200_000,
    });
    for (const [name, descriptor] of Object.entries<any>(described.parameters)) {
      expect(name).toMatch(/^[a-z_]+$/);
      expect(descriptor.type).toMatch(/^(float|int|boolean|string)$/);
      expect(['basic', 'advanced']).toContain(descriptor.section);
      expect(descriptor.description).toMatch(/\S/);
      if (descriptor.type === 'float' || descriptor.type === 'int') {
        expect([typeof descriptor.min, typeof descriptor.max]).toEqual(['number', 'number']);
        if (name !== 'seed') expect(typeof descriptor.default).toBe('number');
      }
    }
    const { temperature, max_tokens, top_k, mirostat_tau } = described.parameters;
    expect(temperature).toMatchObject({ type: 'float', step: 0.1, section: 'basic' });
    expect(max_tokens).toMatchObject({ type: 'int', section: 'basic' });
    expect([top_k.section, mirostat_tau.section]).toEqual(['advanced', 'advanced']);
  });
});

describe('transcripts', () => {
  it.each([
    ['json', 'application/json; charset=utf-8', /"text":"a red circle"/],
    ['text', 'text/plain; charset=utf-8', /^a red circle\n$/],
    ['verbose_json', 'application/json; charset=utf-8', /"task":"transcribe".*"text":"a red circle"/],
    ['srt', 'application/x-subrip; charset=utf-8', /^1\n00:00:00,000 --> 00:00:01,500\na red circle\n/],
    ['vtt', 'text/vtt; charset=utf-8', /^WEBVTT\n\n00:00:00\.000 --> 00:00:01\.500\na red circle\n/],
  ])('as %s', async (format, contentType, expected) => {
    const answer = await serve({ transcript: 'a red circle' }).post('/v1/audio/transcriptions', {
      response_format: format,
    });
    expect([answer.status, answer.headers['content-type']]).toEqual([200, contentType]);
    expect(answer.text).toMatch(expected);
  });

  it('as json where no format is given, and in no other format', async () => {
    const service = serve({ transcript: 'a red circle' });
    expect((await service.post('/v1/audio/transcriptions')).json.text).toBe('a red circle');
    const refused = await service.post('/v1/audio/transcriptions', { response_format: 'docx' });
    expectError(refused, 400, 'invalid_request', 'response_format');
  });

  it('need a file', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    const url = '/v1/audio/transcriptions';
    const text = '--b\r\nContent-Disposition: form-data; name="language"\r\n\r\nen\r\n--b--\r\n';
    expectError(await serve().send({ url, text, headers }), 400, 'invalid_request', 'file');
  });
});

describe('embeddings', () => {
  it('are numbers or base64 of the same', async () => {
    const service = serve();
    const byDefault = await service.post('/v1/embeddings');
    const floats = await service.post('/v1/embeddings', { encoding_format: 'float' });
    const base64 = await service.post('/v1/embeddings', { encoding_format: 'base64' });
    expect(byDefault.json.data).toEqual(floats.json.data);
    const bytes = Buffer.from(base64.json.data[0].embedding, 'base64');
    const decoded = Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(4 * index));
    expect(decoded.map(Math.fround)).toEqual(floats.json.data[0].embedding.map(Math.fround));
    const refused = await service.post('/v1/embeddings', { encoding_format: 'hex' });
    expectError(refused, 400, 'invalid_request', 'encoding_format');
  });

  it('come one for each text, in order', async () => {
    const service = serve();
    const { json: one } = await service.post('/v1/embeddings', { input: 'circle' });
    const { json: two } = await service.post('/v1/embeddings', { input: ['square', 'circle'] });
    expect(one.data).toHaveLength(1);
    expect(two.data).toHaveLength(2);
    expect(two.data[1].embedding).toEqual(one.data[0].embedding);
    expect(two.data[0].embedding).not.toEqual(one.data[0].embedding);
  });
});

describe('images', () => {
  it('come n at a time', async () => {
    for (const n of [1, 4]) {
      const { json: images } = await serve().post('/v1/images/generations', { n });
      expect(images.data).toHaveLength(n);
    }
  });

  it.each([257, 300, 2047])('have a side of a multiple of 64, not %d', async (pixels) => {
    for (const side of ['width', 'height']) {
      const answer = await serve().post('/v1/images/generations', { [side]: pixels });
      expectError(answer, 400, 'invalid_request', side);
    }
  });

  it('have width and height as size says, or a contradiction is refused', async () => {
    const service = serve();
    await service.post('/v1/images/generations', { size: '512x768' });
    expect(service.last('/v1/images/generations')).toMatchObject({ width: 512, height: 768 });
    const refused = await service.post('/v1/images/generations', { size: '512x768', width: 768 });
    expectError(refused, 400, 'invalid_request', 'size');
  });

  it('have the largest seed and the largest n at once', async () => {
    const { status } = await serve().post('/v1/images/generations', { seed: 2 ** 31, n: 4 });
    expect(status).toBe(200);
  });
});

describe('a key', () => {
  it.each(everywhere)('is needed at %s', async (path) => {
    const service = serve();
    expect((await ask(service, path, 'Bearer test-key')).status).toBe(200);
    for (const authorization of [undefined, '', 'Bearer', 'Bearer wrong', 'test-key', 'Basic test-key']) {
      expectError(await ask(service, path, authorization), 401, 'invalid_api_key');
    }
  });

  it('of a plan whose quota is spent gives 403', async () => {
    const service = serve({}, planned({ quota: { requests: 1, perSeconds: 3600 } }));
    expect((await service.post('/v1/embeddings')).status).toBe(200);
    expectError(await service.post('/v1/embeddings'), 403, 'quota_exceeded');
  });

  it('of a plan without the model gives 403', async () => {
    const service = serve({}, planned({ models: ['embedder'] }));
    expect((await service.post('/v1/embeddings')).status).toBe(200);
    expectError(await service.post('/v1/chat/completions'), 403, 'upgrade_required', 'model');
  });

  it('can be given and taken back while the service runs', async () => {
    const valid = new Set(['first']);
    const auth = (key: string) => (valid.has(key) ? { key } : null);
    const service = serve({}, { auth });
    const statusOf = async (key: string) => (await ask(service, '/v1/audio/voices', `Bearer ${key}`)).status;
    expect([await statusOf('first'), await statusOf('second')]).toEqual([200, 401]);
    valid.delete('first');
    valid.add('second');
    expect([await statusOf('first'), await statusOf('second')]).toEqual([401, 200]);
  });
});

function planned(plan: object) {
  return { auth: { keys: [{ key: 'test-key', plan: 'the-plan' }] }, plans: { 'the-plan': plan } };
}

describe('a failure', () => {
  it('by too many requests is 429 and says when to try again', async () => {
    const service = serve({}, planned({ rateLimit: { requests: 1, perSeconds: 60 } }));
    expect((await service.post('/v1/embeddings')).status).toBe(200);
    const refused = await service.post('/v1/embeddings');
    expectError(refused, 429, 'rate_limit_exceeded');
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
  });

  const failures = [
    ['worker_failed', 502, 'worker_failed'],
    ['overloaded', 503, 'overloaded'],
    ['deadline_exceeded', 504, 'deadline_exceeded'],
  ] as const;
  it.each(failures)('that is %s is %d at every endpoint', async (code, status, wireCode) => {
    const error = new InferenceError(code, 'No.');
    const fail = () => Promise.reject(error);
    const service = serve({
      reply: { error },
      drawing: { error },
      transcript: { segments: ['a'], error },
      speech: { error },
      detections: fail,
      embeddings: fail,
    });
    for (const path of paths) expectError(await service.post(path), status, wireCode);
  });
});

describe('the whole API', () => {
  it('is one document, all below /v1', async () => {
    const service = serve();
    const { json: document } = await service.get('/v1/openapi.json');
    const documented = Object.keys(document.paths);
    for (const path of [...paths, '/v1/audio/voices', '/v1/models/{model_id}/parameters']) {
      expect(documented).toContain(path.replace(/^\/v1/, ''));
    }
    for (const path of documented) {
      const elsewhere = await service.get(`/v2${path.replace('{model_id}', 'thinker')}`);
      expectError(elsewhere, 404, 'route_not_found');
    }
    expect(document).not.toHaveProperty('webhooks');
    expect(JSON.stringify(document.paths)).not.toContain('"callbacks"');
  });

  it('keeps nothing that could be asked for later', async () => {
    const { json: document } = await serve().get('/v1/openapi.json');
    const { post, ...kept } = document.paths['/responses'];
    expect([post.operationId, kept]).toEqual(['createResponse', {}]);
    for (const [path, operations] of Object.entries<object>(document.paths)) {
      // Kept by a service whose owner wants it; see below.
      if (/^\/(?:responses\/|conversations)/.test(path)) continue;
      expect(['get', 'post']).toContain(Object.keys(operations).join());
      expect(path.match(/\{\w+\}/g) ?? ['{model_id}']).toEqual(['{model_id}']);
    }
    const answer = await serve().get('/v1/responses/resp_1');
    expect([answer.status, answer.json.error.message]).toEqual([
      400,
      expect.stringContaining('keepResponses'),
    ]);
  });

  it.each(paths)('answers %s with events only where it is asked to', async (path) => {
    const { headers } = await serve().post(path);
    expect(headers['content-type']).not.toContain('event-stream');
  });

  it.each(paths)('takes parameters at %s that it doesn’t know yet', async (path) => {
    expect((await serve().post(path, { invented_tomorrow: 1 })).status).toBe(200);
  });

  it('may be mounted anywhere', async () => {
    const service = serve();
    const url = '/internal/ai/v1/audio/voices';
    expect((await service.get(url, { mountPath: '/internal/ai' })).status).toBe(200);
  });
});
