import { contentText } from '../../src/core/chat/messages.ts';
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { EventSourceParserStream } from 'eventsource-parser/stream';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';

import { createHandler } from '../../dist/src/entries/server.js';
import { createFakeInference, type FakeReply, type FakeTranscript } from '../../dist/src/entries/testing.js';
import { openaiAudio } from '../e2e/openai-audio.ts';
import { openaiClient, type Service } from '../e2e/openai-client.ts';
import { openaiEmbeddings } from '../e2e/openai-embeddings.ts';
import { openaiImages } from '../e2e/openai-images.ts';
import { openaiResponses } from '../e2e/openai-responses.ts';
import type { ChatRequest } from '../../src/categories/chat/request.ts';
import type { DetectionResult } from '../../src/categories/detection/events.ts';
import type { TranscriptionRequest } from '../../src/categories/transcription/request.ts';
import type { Mount, Start } from './conformance.ts';

/** Reasons why a mount can't pass a test, by the test's name. */
export type Skips = Readonly<Record<string, string>>;

const mebibyte = 1024 * 1024;
const voices = [{ id: 'af_heart', name: 'Heart', language: 'en-US' }];
const words = 'one two three four five six seven eight nine ten';

/** What every mount owes the clients of the whole `/v1` API. */
export function apiConformance(start: Start, skip: Skips = {}): void {
  const inference = createFakeInference({
    models: [
      'fake-chat',
      'org/fake',
      { id: 'fake-detect', category: 'detection' },
      { id: 'fake-embed', category: 'embedding' },
      { id: 'fake-rank', category: 'rerank' },
      { id: 'fake-brush', category: 'image' },
      { id: 'fake-ears', category: 'transcription', languages: ['en'] },
      { id: 'fake-mouth', category: 'speech', voices },
    ],
    drawing: ({ prompt }) =>
      prompt === 'fail midway' ? { error: new Error('secret'), failAfter: 1, delayMs: 2 } : { delayMs: 2 },
    transcript: listenTo,
    speech: ({ input }) =>
      input === 'fail midway' ? { error: new Error('secret'), failAfter: 1, delayMs: 2 } : { delayMs: 2 },
    reply: replyTo,
    detections: found,
  });
  let mount: Mount;
  const uploadDirectory = mkdtempSync(join(tmpdir(), 'slashv1-test-'));
  const uploads = () => readdir(uploadDirectory);

  beforeAll(async () => {
    mount = await start(
      createHandler(inference, {
        auth: { keys: ['key', { key: 'frugal', plan: 'frugal' }, { key: 'hasty', plan: 'hasty' }] },
        plans: {
          frugal: { models: ['fake-chat'], quota: { requests: 1, perSeconds: 3600 } },
          hasty: { rateLimit: { requests: 1, perSeconds: 3600 } },
        },
        keepResponses: true,
        cors: { origins: ['https://app.example'] },
        maxBodyBytes: 64 * 1024,
        maxUploadBytes: 4 * mebibyte,
        uploadDirectory,
        onError: () => undefined,
      }),
    );
  });
  afterAll(async () => {
    await mount.close();
    expect(await uploads()).toEqual([]);
    await rm(uploadDirectory, { recursive: true });
  });

  const get = (path: string, init: RequestInit = {}) =>
    mount.fetch(mount.baseUrl + path, { ...init, headers: { authorization: 'Bearer key', ...init.headers } });
  const post = (body: unknown, init: RequestInit = {}, path = '/chat/completions') =>
    get(path, {
      method: 'POST',
      body: typeof body === 'string' ? body : JSON.stringify(body),
      ...init,
      headers: { 'content-type': 'application/json', ...init.headers },
    });
  const transcribe = (fields: Record<string, string | Blob>, init: RequestInit = {}) => {
    const body = new FormData();
    for (const [name, value] of Object.entries(fields)) body.append(name, value);
    return get('/audio/transcriptions', { method: 'POST', body, ...init });
  };
  const atRest = () => vi.waitFor(() => expect(inference.running).toBe(0));

  describe('the API', () => {
    test('completion', async () => {
      const response = await post(asking('grüne Kreise'));
      expect(response.status).toBe(200);
      expect(response.headers.get('x-request-id')).toMatch(/^req[_-]/);
      expect(await response.json()).toMatchObject({
        object: 'chat.completion',
        choices: [{ message: { role: 'assistant', content: 'grüne Kreise' }, finish_reason: 'stop' }],
      });
    });

    test("a browser's preflight", async () => {
      const headers = {
        origin: 'https://app.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'authorization,content-type',
      };
      const response = await mount.fetch(`${mount.baseUrl}/chat/completions`, { method: 'OPTIONS', headers });
      expect([response.status, await response.text()]).toEqual([204, '']);
      expect(Object.fromEntries(response.headers)).toMatchObject({
        vary: 'origin',
        'access-control-allow-origin': 'https://app.example',
        'access-control-allow-methods': 'POST',
        'access-control-allow-headers': 'authorization, content-type',
        'access-control-max-age': '7200',
      });
    });

    test.each([false, true])('what a page of another origin may read, streamed: %s', async (stream) => {
      const headers = { origin: 'https://app.example' };
      const response = await post(asking('one two', { stream }), { headers });
      expect(response.headers.get('access-control-allow-origin')).toBe('https://app.example');
      expect(await response.text()).toContain('one');
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
      ['/models/fake-rank/parameters', { category: 'rerank', parameters: { top_n: { min: 1 } } }],
      ['/models/fake-brush/parameters', { category: 'image', parameters: { width: { step: 64 } } }],
      [
        '/models/fake-ears/parameters',
        { category: 'transcription', parameters: { temperature: { max: 1 } } },
      ],
      ['/models/fake-mouth/parameters', { category: 'speech', parameters: { speed: { max: 4 } } }],
      ['/audio/voices', { object: 'list', voices: [{ ...voices[0], model: 'fake-mouth' }] }],
      ['/audio/voices?model=fake-mouth', { object: 'list', voices: [{ id: 'af_heart' }] }],
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
      expect(inference.requestsOf('detection').at(-1)).toMatchObject({ classes: 'circle', maxDetections: 5 });
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
      expect(inference.requestsOf('embedding').at(-1)?.inputs).toEqual(['a red circle', 'zwölf']);
    });

    test('rerank', async () => {
      const documents = ['a blue square', { text: 'zwölf rote Kreise' }, 'a red circle'];
      const more = { top_n: 2, return_documents: true };
      const response = await post({ query: 'rote Kreise', documents, ...more }, {}, '/rerank');
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({
        id: expect.stringMatching(/^rerank-/),
        model: 'fake-rank',
        results: [
          { index: 1, relevance_score: 1, document: { text: 'zwölf rote Kreise' } },
          { index: 0, relevance_score: 0, document: { text: 'a blue square' } },
        ],
        usage: { prompt_tokens: 15, total_tokens: 15 },
      });
    });

    test('images', async () => {
      const body = { prompt: 'a red circle', size: '512x256', seed: 3, n: 2 };
      const response = await post(body, {}, '/images/generations');
      expect(response.status).toBe(200);
      const image = { b64_json: expect.stringMatching(/^iVBORw0KGgo/) };
      expect(await response.json()).toEqual({
        created: expect.any(Number),
        data: [
          { ...image, seed: 3 },
          { ...image, seed: 4 },
        ],
      });
      expect(inference.requestsOf('image').at(-1)).toMatchObject({ width: 512, height: 256 });
    });

    test('images that fail midway say so', async () => {
      const response = await post({ prompt: 'fail midway', stream: true }, {}, '/images/generations');
      expect(response.status).toBe(200);
      const events = (await eventsOf(response)).map((event) => JSON.parse(event));
      expect(events).toMatchObject([{ step: 1 }, { error: { code: 'internal_error' } }]);
    });

    test('a recording arrives whole', async () => {
      const bytes = randomBytes(3 * mebibyte);
      const response = await transcribe({ prompt: 'digest', file: new Blob([bytes]) });
      expect(response.status).toBe(200);
      expect(await response.json()).toMatchObject({ text: sha256(bytes) });
    });

    test('an upload that its client breaks off leaves nothing over', async () => {
      const asked = inference.requestsOf('transcription').length;
      const client = new AbortController();
      const file = `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\n${words}`;
      const body = new ReadableStream({
        start: (stream) => stream.enqueue(new TextEncoder().encode(file)),
      });
      const init = {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=b' },
        body,
        duplex: 'half',
        signal: client.signal,
      } as RequestInit;
      const response = get('/audio/transcriptions', init).catch((error: unknown) => error);
      await vi.waitFor(async () => expect(await uploads()).toHaveLength(1));
      client.abort();
      expect(await response).toBeInstanceOf(Error);
      await vi.waitFor(async () => expect(await uploads()).toEqual([]));
      expect(inference.requestsOf('transcription').length).toBe(asked);
    });

    test('speech', async () => {
      const response = await post({ input: words, response_format: 'pcm' }, {}, '/audio/speech');
      expect(response.status).toBe(200);
      expect(response.headers.get('content-type')).toBe('audio/pcm');
      expect((await response.arrayBuffer()).byteLength).toBe(10 * 4800);
    });

    test('speech that fails midway breaks off', async () => {
      const printed = vi.spyOn(console, 'error').mockImplementation(() => undefined);
      onTestFinished(() => printed.mockRestore());
      const response = await post({ input: 'fail midway', response_format: 'pcm' }, {}, '/audio/speech');
      expect(response.status).toBe(200);
      await expect(response.arrayBuffer()).rejects.toThrow();
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
      ['no documents', 400, 'invalid_request', () => post({ query: 'a', documents: [] }, {}, '/rerank')],
      ['no image', 400, 'invalid_request', () => post({}, {}, '/detect')],
      ['no audio', 400, 'invalid_request', () => transcribe({ model: 'fake-ears' })],
      ['audio as text', 400, 'invalid_request', () => transcribe({ file: 'a.mp3' })],
      ['audio in JSON', 415, 'unsupported_media_type', () => post({}, {}, '/audio/transcriptions')],
      [
        'a form without a boundary',
        400,
        'invalid_request',
        () => transcribe({}, { headers: { 'content-type': 'multipart/form-data' } }),
      ],
      [
        'a form that breaks off',
        400,
        'invalid_request',
        () =>
          transcribe({}, { headers: { 'content-type': 'multipart/form-data; boundary=b' }, body: '--b\r\n' }),
      ],
      [
        'a large recording',
        413,
        'request_too_large',
        () => transcribe({ file: new Blob([new Uint8Array(8 * mebibyte)]) }),
      ],
      ['nothing to draw', 400, 'invalid_request', () => post({}, {}, '/images/generations')],
      [
        'an odd width',
        400,
        'invalid_request',
        () => post({ prompt: 'a', width: 300 }, {}, '/images/generations'),
      ],
      ['no text to speak', 400, 'invalid_request', () => post({ input: '' }, {}, '/audio/speech')],
      [
        'an unknown voice',
        400,
        'invalid_request',
        () => post({ input: 'a', voice: 'b' }, {}, '/audio/speech'),
      ],
      [
        'voices without a key',
        401,
        'invalid_api_key',
        () => get('/audio/voices', { headers: { authorization: '' } }),
      ],
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

  const asChat = (): Service => ({
    baseUrl: mount.baseUrl,
    apiKey: 'key',
    model: 'fake-chat',
    fetch: (input, init) => mount.fetch(input, init),
    question: words,
    toolQuestion: 'What is the weather in Paris, and what time is it in Oslo?',
    idle: atRest,
  });
  openaiClient(asChat);
  openaiResponses(asChat);

  openaiAudio(() => ({
    baseUrl: mount.baseUrl,
    apiKey: 'key',
    transcriptionModel: 'fake-ears',
    speechModel: 'fake-mouth',
    fetch: (input, init) => mount.fetch(input, init),
    recording: import.meta.filename,
    says: /a red circle.*two blue squares/is,
    longText: words.repeat(100),
    idle: atRest,
  }));

  openaiImages(() => ({
    baseUrl: mount.baseUrl,
    apiKey: 'key',
    model: 'fake-brush',
    fetch: (input, init) => mount.fetch(input, init),
    idle: atRest,
  }));

  openaiEmbeddings(() => ({
    baseUrl: mount.baseUrl,
    apiKey: 'key',
    model: 'fake-embed',
    fetch: (input, init) => mount.fetch(input, init),
  }));
}

async function listenTo({ audio, prompt }: TranscriptionRequest): Promise<string | FakeTranscript> {
  const { path } = audio as { path: string };
  if (prompt === 'digest') return sha256(readFileSync(path));
  return { segments: ['A red circle.', 'Two blue squares.'], delayMs: 2 };
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
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
  return { text: contentText(content ?? ''), delayMs: 1 };
}

async function eventsOf(response: Response): Promise<string[]> {
  const events: string[] = [];
  const source = response
    .body!.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  for await (const event of source) events.push(event.data);
  return events;
}
