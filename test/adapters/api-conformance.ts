import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';

import { createHandler } from '../../dist/src/entries/server.js';
import { createFakeInference, type FakeReply } from '../../dist/src/entries/testing.js';
import { openaiClient, type Service } from '../e2e/openai-client.ts';
import { openaiEmbeddings } from '../e2e/openai-embeddings.ts';
import type { ChatRequest, DetectionResult } from '../../src/pipelines/contract.ts';
import type { Mount, Start } from './conformance.ts';

/** Reasons why a mount can't pass a test, by the test's name. */
export type Skips = Readonly<Record<string, string>>;

const words = 'one two three four five six seven eight nine ten';

/** What every mount owes the clients of the whole `/v1` API. */
export function apiConformance(start: Start, skip: Skips = {}): void {
  const inference = createFakeInference({
    models: [
      'fake-chat',
      'org/fake',
      { id: 'fake-detect', category: 'detection' },
      { id: 'fake-embed', category: 'embedding' },
    ],
    reply: replyTo,
    detections: found,
  });
  let mount: Mount;

  beforeAll(async () => {
    mount = await start(
      createHandler(inference, {
        auth: { keys: ['key', { key: 'frugal', plan: 'frugal' }, { key: 'hasty', plan: 'hasty' }] },
        plans: {
          frugal: { models: ['fake-chat'], quota: { requests: 1, perSeconds: 3600 } },
          hasty: { rateLimit: { requests: 1, perSeconds: 3600 } },
        },
        maxBodyBytes: 64 * 1024,
        onError: () => undefined,
      }),
    );
  });
  afterAll(() => mount.close());

  const get = (path: string, init: RequestInit = {}) =>
    mount.fetch(mount.baseUrl + path, { ...init, headers: { authorization: 'Bearer key', ...init.headers } });
  const post = (body: unknown, init: RequestInit = {}, path = '/chat/completions') =>
    get(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  const atRest = () => vi.waitFor(() => expect(inference.running).toBe(0));

  describe('the API', () => {
    test('completion', async () => {
      const response = await post(asking('grüne Kreise'));
      expect(response.status).toBe(200);
      expect(response.headers.get('x-request-id')).toMatch(/^req_/);
      expect(await response.json()).toMatchObject({
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', content: 'grüne Kreise' }, finish_reason: 'stop' }],
      });
    });

    test('a stream ends with [DONE]', async () => {
      const response = await post(asking(words, { stream: true }));
      expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8');
      const data = await eventsOf(response);
      expect(data.pop()).toBe('[DONE]');
      const chunks = data.map((event) => JSON.parse(event));
      expect(chunks.map((chunk) => chunk.choices[0].delta.content ?? '').join('')).toBe(words);
    });

    test('a stream that fails midway says so', async () => {
      const response = await post(asking('fail midway', { stream: true }));
      expect(response.status).toBe(200);
      const last = JSON.parse((await eventsOf(response)).at(-1)!);
      expect(last.error).toMatchObject({ code: 'internal_error', param: null });
      expect(last.error.message).not.toContain('secret');
    });

    test.each([
      ['/models', { object: 'list' }],
      ['/models/fake-chat', { id: 'fake-chat', object: 'model' }],
      ['/models/fake-chat/parameters', { model_id: 'fake-chat', category: 'chat' }],
      ['/models/org/fake/parameters', { model_id: 'org/fake' }],
      [
        '/models/fake-detect/parameters',
        { category: 'detection', parameters: { iou_threshold: { max: 1 } } },
      ],
      [
        '/models/fake-embed/parameters',
        { category: 'embedding', parameters: { truncate: { default: false } } },
      ],
      ['/models/org%2Ffake/parameters', { model_id: 'org/fake' }],
      ['/openapi.json?a=b', { openapi: expect.stringMatching(/^3\./) }],
    ])('GET %s', async (path, expected) => {
      const response = await get(path);
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject(expected);
    });

    test('detection', async () => {
      const body = { image: 'data:image/png;base64,iVBORw0KGgo=', classes: 'circle', max_detections: 5 };
      const response = await post(body, {}, '/detect');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        detections: [{ class_name: 'circle', class_id: 1, confidence: 0.5, box: found.detections[0]!.box }],
        image: found.image,
        model: 'fake-detect',
      });
      expect(inference.detectionRequests.at(-1)).toMatchObject({ classes: 'circle', maxDetections: 5 });
    });

    test('embeddings', async () => {
      const response = await post({ input: ['a red circle', 'zwölf'], dimensions: 4 }, {}, '/embeddings');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        object: 'list',
        data: [0, 1].map((index) => ({
          object: 'embedding',
          index,
          embedding: Array.from({ length: 4 }, () => expect.any(Number)),
        })),
        model: 'fake-embed',
        usage: { prompt_tokens: 4, total_tokens: 4 },
      });
      expect(inference.embeddingRequests.at(-1)?.inputs).toEqual(['a red circle', 'zwölf']);
    });

    test('HEAD', async () => {
      const whole = await get('/models');
      const response = await get('/models', { method: 'HEAD' });
      expect(response.status).toBe(200);
      expect(response.headers.get('content-length')).toBe(whole.headers.get('content-length'));
      expect(await response.text()).toBe('');
    });

    const refusals: [string, number, string, () => Promise<Response>][] = [
      ['no key', 401, 'invalid_api_key', () => post(asking('a'), { headers: { authorization: '' } })],
      ['malformed JSON', 400, 'invalid_request', () => post('{"model":')],
      ['an empty body', 400, 'invalid_request', () => post('')],
      ['a value out of range', 400, 'invalid_request', () => post(asking('a', { temperature: 3 }))],
      ['an unknown model', 404, 'model_not_found', () => post({ ...asking('a'), model: 'b' })],
      ['no text', 400, 'invalid_request', () => post({ input: ['a', ''] }, {}, '/embeddings')],
      ['no image', 400, 'invalid_request', () => post({}, {}, '/detect')],
      [
        'a detector asked to chat',
        400,
        'invalid_request',
        () => post({ ...asking('a'), model: 'fake-detect' }),
      ],
      ['an unknown path', 404, 'route_not_found', () => get('/nothing/here')],
      ['the root', 404, 'route_not_found', () => get('')],
      ['a wrong method', 405, 'method_not_allowed', () => get('/chat/completions', { method: 'PUT' })],
      ['a large body', 413, 'request_too_large', () => post(asking('a'.repeat(8 * 1024 * 1024)))],
      [
        'text for JSON',
        415,
        'unsupported_media_type',
        () => post('a', { headers: { 'content-type': 'text/plain' } }),
      ],
      [
        'a model of a larger plan',
        403,
        'upgrade_required',
        () => post({ ...asking('a'), model: 'org/fake' }, { headers: { authorization: 'Bearer frugal' } }),
      ],
    ];
    test.for(refusals)('%s', async ([title, status, code, call], context) => {
      context.skip(title in skip, skip[title]);
      const response = await call();
      expect(response.status).toBe(status);
      const { error } = (await response.json()) as { error: Record<string, unknown> };
      expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type']);
      expect(error['code']).toBe(code);
    });

    test.each([
      ['quota', 'frugal', 403, 'quota_exceeded'],
      ['rate limit', 'hasty', 429, 'rate_limit_exceeded'],
    ])('a spent %s', async (_title, key, status, code) => {
      const headers = { authorization: `Bearer ${key}` };
      expect((await post(asking('a'), { headers })).status).toBe(200);
      const response = await post(asking('a'), { headers });
      expect(response.status).toBe(status);
      expect(await response.json()).toMatchObject({ error: { code } });
    });

    test.each([true, false])('a client that leaves cancels its request (stream: %s)', async (stream) => {
      const { cancelled, requests } = inference;
      const before = requests.length;
      const client = new AbortController();
      const response = post(asking('endless', { stream, max_tokens: 100_000 }), { signal: client.signal });
      if (stream) await (await response).body!.getReader().read();
      await vi.waitFor(() => expect(inference.requests.length).toBe(before + 1));
      client.abort();
      if (!stream) await expect(response).rejects.toThrow();
      await atRest();
      expect(inference.cancelled).toBe(cancelled + 1);
    });
  });

  openaiClient((): Service => ({
    baseUrl: mount.baseUrl,
    apiKey: 'key',
    model: 'fake-chat',
    fetch: (input, init) => mount.fetch(input, init),
    question: words,
    toolQuestion: 'What is the weather in Paris, and what time is it in Oslo?',
    idle: atRest,
  }));

  openaiEmbeddings(() => ({
    baseUrl: mount.baseUrl,
    apiKey: 'key',
    model: 'fake-embed',
    fetch: (input, init) => mount.fetch(input, init),
  }));
}

const found: DetectionResult = {
  detections: [{ className: 'circle', classId: 1, confidence: 0.5, box: { x1: 1, y1: 2, x2: 30.5, y2: 40 } }],
  image: { width: 64, height: 48 },
};

function asking(content: string, more: object = {}): object {
  return { model: 'fake-chat', messages: [{ role: 'user', content }], ...more };
}

function replyTo({ messages, tools }: ChatRequest): FakeReply {
  const { role, content } = messages.at(-1)!;
  if (role === 'tool') return { text: 'It is sunny and half past twelve.' };
  if (tools.length > 0)
    return { toolCalls: tools.map(({ name }) => ({ name, arguments: { city: 'Oslo' } })) };
  if (content === 'endless') return { text: 'on '.repeat(10_000), delayMs: 1 };
  if (content === 'fail midway') return { text: words, error: new Error('secret'), failAfter: 3 };
  return { text: content ?? '', delayMs: 1 };
}

async function eventsOf(response: Response): Promise<string[]> {
  const events: string[] = [];
  const source = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const event of source) events.push(event.data);
  return events;
}
