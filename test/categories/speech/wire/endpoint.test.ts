import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { maxSpeechCharacters, speechParameters } from '../../../../src/categories/speech/parameters.ts';
import { InferenceError } from '../../../../src/errors.ts';
import type { SpeechEvent } from '../../../../src/categories/speech/events.ts';
import { createHandler } from '../../../../src/create-handler.ts';
import type { HandlerOptions } from '../../../../src/server/options.ts';
import { fromSpeechRequest } from '../../../../src/categories/speech/wire/from-request.ts';
import type { SpeechAnswer, SpeechStreamEvent } from '../../../../src/categories/speech/wire/schema.ts';
import { speechRequestSchema } from '../../../../src/categories/speech/wire/schema.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../../../src/testing/fake-inference.ts';
import { eventsOf, expectError, send, toRequest, type Answer, type Sent } from '../../../server/support.ts';
import { runs } from '../../../thorough.ts';

const voices = [
  { id: 'af_heart', name: 'Heart', language: 'en-US' },
  { id: 'am_adam', name: 'Adam', language: 'en-US' },
];
const models = [
  'fake-chat',
  { id: 'mouth', category: 'speech', voices },
  { id: 'other-mouth', category: 'speech', voices: [{ id: 'zoe', name: 'Zoe', language: 'fr-FR' }] },
  { id: 'loading-mouth', category: 'speech' },
] as const;
const url = '/v1/audio/speech';
const input = 'a red circle';

function serviceOf(fake: FakeInferenceOptions = {}, options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ models, ...fake });
  return { inference, handler: createHandler(inference, { auth: 'none', onError: () => {}, ...options }) };
}

const { inference, handler } = serviceOf();
const speak = (body: object, more: Partial<Sent> = {}): Promise<Answer> =>
  send(handler, { url, json: { input, ...body }, ...more });

/** What the handler sends, piece by piece. */
async function piecesOf(body: unknown): Promise<Uint8Array[]> {
  const pieces: Uint8Array[] = [];
  for await (const piece of body as AsyncIterable<Uint8Array>) pieces.push(piece);
  return pieces;
}

/** A service whose speech model says what it is told to, in turns of the event loop. */
function sayingInTurns(turns: readonly (readonly SpeechEvent[])[], options: Partial<HandlerOptions> = {}) {
  const service = serviceOf({}, options);
  const speaking = {
    ...service.inference,
    async *run(): AsyncGenerator<any> {
      for (const [index, turn] of turns.entries()) {
        if (index > 0) await new Promise((resolve) => setTimeout(resolve, 5));
        yield* turn;
      }
    },
  };
  return createHandler(speaking, { auth: 'none', ...options });
}

const start: SpeechEvent = { type: 'speech-start', mediaType: 'audio/wav', sampleRateHz: 24_000 };
const audio = (...bytes: number[]): SpeechEvent => ({ type: 'audio', bytes: Uint8Array.from(bytes) });
const end: SpeechEvent = { type: 'speech-end', durationSeconds: 1 };

describe('POST /audio/speech', () => {
  it('answers with a WAV file by default', async () => {
    const answer = await speak({});
    expect(answer.status).toBe(200);
    expect(answer.headers['content-type']).toBe('audio/wav');
    expect(answer.text.slice(0, 4)).toBe('RIFF');
    expect(inference.requestsOf('speech').at(-1)).toEqual({
      model: 'mouth',
      input,
      voice: 'af_heart',
      speed: 1,
      markup: true,
      format: 'wav',
      wordTimestamps: false,
    });
  });

  it('hands on what was asked for', async () => {
    const body = { voice: 'af_heart+am_adam', speed: 0.25, response_format: 'pcm', model: 'mouth' };
    const answer = await speak({ ...body, instructions: '', user: 'me' });
    expect(answer.headers).toMatchObject({ 'content-type': 'audio/pcm', 'content-length': '14400' });
    expect(inference.requestsOf('speech').at(-1)).toEqual({
      model: 'mouth',
      input,
      voice: 'af_heart+am_adam',
      speed: 0.25,
      markup: true,
      format: 'pcm',
      wordTimestamps: false,
    });
  });

  const words = [
    { word: 'a', offset: 0, start: 0, end: 0.1 },
    { word: 'red', offset: 2, start: 0.1, end: 0.2 },
    { word: 'circle', offset: 6, start: 0.2, end: expect.closeTo(0.3, 9) },
  ];

  it('answers with one JSON object, its words on request', async () => {
    const answer = await speak({ stream_format: 'json', response_format: 'pcm' });
    expect(answer.headers['content-type']).toMatch(/^application\/json/);
    const body = JSON.parse(answer.text) as SpeechAnswer;
    expect(Buffer.from(body.audio, 'base64')).toHaveLength(14_400);
    expect(body).toEqual({ audio: body.audio, media_type: 'audio/pcm', duration: expect.closeTo(0.3, 9) });
    const timed = await speak({ stream_format: 'json', timestamp_granularities: ['word', 'word'] });
    expect((JSON.parse(timed.text) as SpeechAnswer).words).toEqual(words);
    const none = await speak({ stream_format: 'json', timestamp_granularities: [] });
    expect(JSON.parse(none.text)).not.toHaveProperty('words');
  });

  it('sends words in a stream on request', async () => {
    const body = { stream_format: 'sse', response_format: 'pcm' };
    const plain = eventsOf((await speak(body)).text) as SpeechStreamEvent[];
    const timed = eventsOf(
      (await speak({ ...body, timestamp_granularities: ['word'] })).text,
    ) as SpeechStreamEvent[];
    expect(timed.filter(({ type }) => type !== 'speech.audio.words')).toEqual(plain);
    expect(timed.flatMap((event) => (event.type === 'speech.audio.words' ? event.words : []))).toEqual(words);
  });

  it('speaks with the first voice of a model without the usual one', async () => {
    expect((await speak({ model: 'other-mouth' })).status).toBe(200);
    expect(inference.requestsOf('speech').at(-1)).toMatchObject({ model: 'other-mouth', voice: 'zoe' });
  });

  it('takes the voice of the settings of the model before its first one', async () => {
    const own = { id: 'mouth', category: 'speech', voices, defaults: { voice: 'am_adam' } } as const;
    const service = serviceOf({ models: [own] });
    await send(service.handler, { url, json: { input } });
    expect(service.inference.requestsOf('speech')).toMatchObject([{ voice: 'am_adam' }]);
  });

  it('sends audio with its length where all of it is there at once', async () => {
    const whole = sayingInTurns([[start, audio(1, 2), audio(3), end]]);
    const { headers, body } = await whole(toRequest({ url, json: { input } }));
    expect(headers['content-length']).toBe('3');
    expect(body).toEqual(Buffer.of(1, 2, 3));
  });

  it('sends audio as it is made', async () => {
    const slow = sayingInTurns([[start], [audio(1), audio(2)], [audio(3)], [audio(4), end]]);
    const { headers, body } = await slow(toRequest({ url, json: { input } }));
    expect(headers).toMatchObject({ 'content-type': 'audio/wav', 'x-accel-buffering': 'no' });
    expect(headers).not.toHaveProperty('content-length');
    expect((await piecesOf(body)).map((piece) => [...piece])).toEqual([[1], [2], [3], [4]]);
  });

  it('sends server-sent events', async () => {
    const slow = sayingInTurns([[start], [audio(1, 2)], [audio(3), end]]);
    const answer = await send(slow, { url, json: { input, stream_format: 'sse' } });
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(eventsOf(answer.text)).toEqual([
      { type: 'speech.audio.delta', audio: 'AQI=' },
      { type: 'speech.audio.delta', audio: 'Aw==' },
      { type: 'speech.audio.done', usage: { input_tokens: 0, output_tokens: 0, total_tokens: 0 } },
      '[DONE]',
    ]);
  });

  it.each(['audio', 'sse'])(
    'has a status of its own for what fails before the first piece (%s)',
    async (format) => {
      const error = new InferenceError('overloaded', 'All busy.', { retryAfterSeconds: 3 });
      const { handler: failing } = serviceOf({ speech: { error } });
      const answer = await send(failing, {
        url,
        json: { input, stream_format: format, response_format: 'pcm' },
      });
      expectError(answer, 503, 'overloaded');
      expect(answer.headers['retry-after']).toBe('3');
    },
  );

  it('breaks off what fails after that, and reports it', async () => {
    const reported: InferenceError[] = [];
    const { handler: failing, inference: asked } = serviceOf(
      { speech: { error: new Error('secret'), failAfter: 2, delayMs: 5 } },
      { onError: (error) => reported.push(error) },
    );
    const { status, body } = await failing(toRequest({ url, json: { input } }));
    expect(status).toBe(200);
    await expect(piecesOf(body)).rejects.toThrow('Internal error.');
    expect(reported).toMatchObject([{ code: 'internal', cause: { message: 'secret' } }]);
    expect(asked.running).toBe(0);
  });

  it.each(['audio', 'sse'])('is cancelled by a client that goes (%s)', async (stream_format) => {
    const { handler: slow, inference: asked } = serviceOf({
      speech: ({ format }) => ({ delayMs: format === 'wav' ? 5 : 60_000 }),
    });
    const json = { input: 'word '.repeat(1000), stream_format };
    const { body } = await slow(toRequest({ url, json }));
    const pieces = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    await pieces.next();
    await pieces.return!();
    await vi.waitFor(() => expect(asked.running).toBe(0));
    expect(asked.cancelled).toBe(1);

    const client = new AbortController();
    const answer = slow(toRequest({ url, json: { ...json, response_format: 'pcm' }, signal: client.signal }));
    await vi.waitFor(() => expect(asked.running).toBe(1));
    client.abort();
    expect((await answer).status).toBe(499);
    expect([asked.running, asked.cancelled]).toEqual([0, 2]);
  });

  it('is left at once, also while a piece is awaited', async () => {
    const { handler: slow, inference: asked } = serviceOf({ speech: { delayMs: 60_000 } });
    const { body } = await slow(toRequest({ url, json: { input } }));
    const pieces = (body as AsyncIterable<unknown>)[Symbol.asyncIterator]();
    await pieces.next();
    const awaited = pieces.next();
    await pieces.return!();
    await expect(awaited).rejects.toMatchObject({ code: 'cancelled' });
    expect([asked.running, asked.cancelled]).toEqual([0, 1]);
  });

  it.each([
    [{ input: undefined }, 'input'],
    [{ input: '' }, 'input'],
    [{ input: ' \n' }, 'input'],
    [{ input: 7 }, 'input'],
    [{ input: null }, 'input'],
    [{ model: 3 }, 'model'],
    [{ model: 'fake-chat' }, 'model'],
    [{ voice: 'nobody' }, 'voice'],
    [{ voice: { id: 'af_heart' } }, 'voice'],
    [{ response_format: 'midi' }, 'response_format'],
    [{ response_format: 'mp3' }, 'response_format'],
    [{ stream_format: 'websocket' }, 'stream_format'],
    [{ timestamp_granularities: ['word'] }, 'timestamp_granularities'],
    [{ timestamp_granularities: ['word'], stream_format: 'audio' }, 'timestamp_granularities'],
    [{ timestamp_granularities: ['segment'], stream_format: 'sse' }, 'timestamp_granularities[0]'],
    [{ timestamp_granularities: 'word', stream_format: 'sse' }, 'timestamp_granularities'],
    [{ speed: 0.24 }, 'speed'],
    [{ speed: 4.01 }, 'speed'],
    [{ speed: '1' }, 'speed'],
  ])('refuses %j', async (body, param) => {
    expectError(await speak(body), 400, 'invalid_request', param);
  });

  it.each([
    [{ instructions: 'Speak softly.' }, 'instructions'],
    [{ lang_code: 'a' }, 'lang_code'],
    [{ volume_multiplier: 2 }, 'volume_multiplier'],
  ])('says that %j is not supported', async (body, param) => {
    expectError(await speak(body), 400, 'unsupported_feature', param);
  });

  it('has the bounds of a text and of the speed', async () => {
    const { min, max } = speechParameters.speed;
    for (const speed of [min, max]) expect((await speak({ speed })).status).toBe(200);
    expect((await speak({ input: 'a'.repeat(maxSpeechCharacters) })).status).toBe(200);
    expectError(await speak({ input: 'a'.repeat(maxSpeechCharacters + 1) }), 400, 'invalid_request', 'input');
  });

  it('knows models', async () => {
    expectError(await speak({ model: 'none' }), 404, 'model_not_found', 'model');
    const mute = createHandler(createFakeInference(), { auth: 'none' });
    expectError(await send(mute, { url, json: { input } }), 404, 'model_not_found', 'model');
  });

  it('counts requests against quotas, not tokens, and not those that fail', async () => {
    let speech: { error?: Error } = { error: new Error('lost') };
    const { handler: metered } = serviceOf(
      { speech: () => speech },
      {
        auth: { keys: [{ key: 'test-key', plan: 'one' }] },
        plans: { one: { quota: { requests: 1, tokens: 1, perSeconds: 3600 } } },
      },
    );
    const ask = () => send(metered, { url, json: { input, response_format: 'pcm' } });
    expect((await ask()).status).toBe(500);
    speech = {};
    expect((await ask()).status).toBe(200);
    expectError(await ask(), 403, 'quota_exceeded');
  });

  it('answers any value of any field with 200 or an error of the client', async () => {
    const field = fc.constantFrom(...Object.keys(speechRequestSchema.shape), 'instructions');
    await fc.assert(
      fc.asyncProperty(field, fc.jsonValue(), async (name, value) => {
        const { status } = await speak({ [name]: value });
        expect([200, 400, 404]).toContain(status);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('GET /audio/voices', () => {
  const list = (query = '', more: Partial<Sent> = {}) =>
    send(handler, { url: `/v1/audio/voices${query}`, method: 'GET', ...more });
  const ofMouth = voices.map((voice) => ({ ...voice, model: 'mouth' }));
  const zoe = { id: 'zoe', name: 'Zoe', language: 'fr-FR', model: 'other-mouth' };

  it('lists the voices of all models', async () => {
    const { status, json } = await list();
    expect([status, json]).toEqual([
      200,
      { object: 'list', voices: [...ofMouth, zoe], aliases: expect.any(Array) },
    ]);
  });

  it.each([
    ['?model=mouth', ofMouth],
    ['?limit=3&model=other%2Dmouth', [zoe]],
    ['?model=loading-mouth', []],
    ['?limit=3#?model=mouth', [...ofMouth, zoe]],
  ])('lists those of %s', async (query, expected) => {
    expect((await list(query)).json).toMatchObject({ object: 'list', voices: expected });
  });

  it('is empty where nobody speaks', async () => {
    const mute = createHandler(createFakeInference(), { auth: 'none' });
    const { json } = await send(mute, { url: '/v1/audio/voices' });
    expect(json).toEqual({ object: 'list', voices: [], aliases: [] });
  });

  it('lists the names that clients have built in, and the voices that they stand for', async () => {
    const { json } = await list('?model=other%2Dmouth');
    expect(json.aliases).toHaveLength(13);
    expect(json.aliases[0]).toEqual({ id: 'alloy', voice: 'zoe', model: 'other-mouth' });
  });

  it('lists no such names where they are off', async () => {
    const own = { id: 'mouth', category: 'speech', voices, voiceAliases: false } as const;
    const { handler: strict } = serviceOf({ models: [own] });
    expect((await send(strict, { url: '/v1/audio/voices' })).json.aliases).toEqual([]);
    const spoken = await send(strict, { url: '/v1/audio/speech', json: { input: 'a', voice: 'alloy' } });
    expectError(spoken, 400, 'invalid_request', 'voice');
  });

  it('refuses what it can not list', async () => {
    expectError(await list('?model=none'), 404, 'model_not_found', 'model');
    expectError(await list('?model=fake-chat'), 400, 'invalid_request', 'model');
    expectError(await list('', { method: 'POST' }), 405, 'method_not_allowed');
    const { handler: locked } = serviceOf({}, { auth: { keys: ['another'] } });
    expectError(await send(locked, { url: '/v1/audio/voices' }), 401, 'invalid_api_key');
  });
});

describe('GET /models/{id}/parameters', () => {
  it.each([
    ['mouth', 'af_heart'],
    ['other-mouth', 'zoe'],
    ['loading-mouth', 'af_heart'],
  ])('has the voice that %s speaks with', async (id, voice) => {
    const { json } = await send(handler, { url: `/v1/models/${id}/parameters` });
    expect(json).toMatchObject({ model_id: id, category: 'speech' });
    expect(json.parameters).toEqual({
      ...speechParameters,
      voice: { ...speechParameters.voice, default: voice },
    });
  });
});

describe('the mapping', () => {
  it('reads a body', () => {
    expect(fromSpeechRequest({ input: 'a', speed: null, voice: 'zoe', stream_format: 'sse' })).toEqual({
      model: undefined,
      request: { input: 'a', voice: 'zoe', format: undefined },
      streamFormat: 'sse',
    });
  });
});
