import { readFileSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { dirname, relative } from 'node:path';
import fc from 'fast-check';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { InferenceError } from '../../../../src/errors.ts';
import { createHandler } from '../../../../src/create-handler.ts';
import type { HandlerOptions } from '../../../../src/server/options.ts';
import { fromTranscriptionRequest } from '../../../../src/categories/transcription/wire/from-request.ts';
import {
  diarizedTranscriptionSchema,
  transcriptionFieldsSchema,
} from '../../../../src/categories/transcription/wire/schema.ts';
import {
  toVerboseTranscription,
  createTranscriptionStreamer,
} from '../../../../src/categories/transcription/wire/to-response.ts';
import { createFakeInference, type FakeInferenceOptions } from '../../../../src/testing/fake-inference.ts';
import { fieldPart, filePart, formOf, sentForm, uploadDirectory, uploadOf } from '../../../server/forms.ts';
import { eventsOf, expectError, send, toRequest, type Answer } from '../../../server/support.ts';
import { runs } from '../../../thorough.ts';

const models = [
  'fake-chat',
  { id: 'ears', category: 'transcription', languages: ['en', 'de'] },
  { id: 'other-ears', category: 'transcription' },
] as const;
const spoken = ['A red circle.', 'Two blue squares.'];
const directory = await uploadDirectory();

afterEach(async () => expect(await directory.files()).toEqual([]));
afterAll(() => rm(directory.path, { recursive: true }));

function serviceOf(fake: FakeInferenceOptions = {}, options: Partial<HandlerOptions> = {}) {
  const inference = createFakeInference({ models, transcript: { segments: spoken }, ...fake });
  const handler = createHandler(inference, {
    auth: 'none',
    onError: () => {},
    uploadDirectory: directory.path,
    ...options,
  });
  return { inference, handler };
}

const { inference, handler } = serviceOf();
const transcribe = (fields: Record<string, string> = {}): Promise<Answer> =>
  send(handler, sentForm(uploadOf(fields)));
const post = (body: string): Promise<Answer> => send(handler, sentForm(body));

describe('POST /audio/transcriptions', () => {
  it.each([
    [['small', 'whisper-medium', 'large'], 'whisper-medium'],
    [['small', 'large'], 'small'],
  ])('is answered by the medium model where none is named, else by the first: %o', async (ids, answering) => {
    const { inference: asked, handler: chosen } = serviceOf({
      models: ids.map((id) => ({ id, category: 'transcription' as const })),
    });
    expect((await send(chosen, sentForm(uploadOf({})))).status).toBe(200);
    expect(asked.requestsOf('transcription')[0]!.model).toBe(answering);
  });

  it('answers with the text', async () => {
    const answer = await transcribe();
    expect(answer.status).toBe(200);
    expect(answer.json).toEqual({
      text: 'A red circle. Two blue squares.',
      usage: { type: 'duration', seconds: 3 },
    });
    expect(inference.requestsOf('transcription').at(-1)).toEqual({
      model: 'ears',
      audio: { path: expect.any(String) },
      language: undefined,
      prompt: undefined,
      temperature: 0,
      wordTimestamps: false,
      task: 'transcribe',
      diarize: false,
      multichannel: false,
    });
  });

  it('tells who says what, as diarized_json', async () => {
    const { handler: dialog, inference: asked } = serviceOf({
      transcript: { segments: spoken, speakers: ['A', 'B'] },
    });
    const fields = { response_format: 'diarized_json', chunking_strategy: 'auto' };
    const { status, json } = await send(dialog, sentForm(uploadOf(fields)));
    expect(status).toBe(200);
    const segment = { type: 'transcript.text.segment' };
    const segments = [
      { ...segment, id: 'seg_001', start: 0, end: 1.5, text: 'A red circle.', speaker: 'A' },
      { ...segment, id: 'seg_002', start: 1.5, end: 3, text: 'Two blue squares.', speaker: 'B' },
    ];
    expect(json).toEqual({
      task: 'transcribe',
      duration: 3,
      text: 'A red circle. Two blue squares.',
      segments,
      usage: { type: 'duration', seconds: 3 },
    });
    expect(diarizedTranscriptionSchema.parse(json)).toEqual(json);
    expect(asked.requestsOf('transcription')).toMatchObject([{ diarize: true }]);
    const streamed = await send(dialog, sentForm(uploadOf({ ...fields, stream: 'true' })));
    expect(eventsOf(streamed.text)).toMatchObject([
      { type: 'transcript.text.delta', delta: 'A red circle.' },
      { type: 'transcript.text.delta', delta: ' Two blue squares.' },
      ...segments,
      { type: 'transcript.text.done', text: json.text },
      '[DONE]',
    ]);
  });

  it('hands on what was asked for, and the file as it came', async () => {
    const content = '\0\r\n--\xff'.repeat(50_000);
    let found: { text: string; mode: number } | undefined;
    const { handler: listening, inference: heard } = serviceOf({
      transcript({ audio }) {
        const { path } = audio as { path: string };
        found = { text: readFileSync(path, 'latin1'), mode: statSync(path).mode & 0o777 };
        return 'ok';
      },
    });
    const fields = { model: 'other-ears', language: 'de', prompt: 'Kreise', temperature: '0.5', user: 'me' };
    const body = Buffer.from(uploadOf(fields, content), 'latin1');
    expect((await send(listening, sentForm(body))).json.text).toBe('ok');
    expect(found).toEqual({ text: content, mode: 0o600 });
    expect(heard.requestsOf('transcription')).toMatchObject([
      { model: 'other-ears', language: 'de', prompt: 'Kreise', temperature: 0.5 },
    ]);
  });

  it.each(['', 'null'])('counts fields that say %j as left out', async (value) => {
    const names = ['model', 'language', 'prompt', 'temperature', 'response_format', 'stream', 'include[]'];
    const fields = Object.fromEntries(names.map((name) => [name, value]));
    expect((await transcribe(fields)).json.text).toContain('circle');
    expect(inference.requestsOf('transcription').at(-1)).toMatchObject({
      model: 'ears',
      language: undefined,
    });
  });

  it.each([
    ['text', 'text/plain; charset=utf-8', 'A red circle. Two blue squares.\n'],
    [
      'srt',
      'application/x-subrip; charset=utf-8',
      '1\n00:00:00,000 --> 00:00:01,500\nA red circle.\n\n2\n00:00:01,500 --> 00:00:03,000\nTwo blue squares.\n\n',
    ],
    [
      'vtt',
      'text/vtt; charset=utf-8',
      'WEBVTT\n\n00:00:00.000 --> 00:00:01.500\nA red circle.\n\n00:00:01.500 --> 00:00:03.000\nTwo blue squares.\n\n',
    ],
  ])('answers as %s', async (response_format, contentType, text) => {
    const answer = await transcribe({ response_format });
    expect(answer.headers).toMatchObject({
      'content-type': contentType,
      'content-length': String(Buffer.byteLength(text)),
    });
    expect(answer.text).toBe(text);
  });

  const words = [
    { word: 'A', start: 0, end: 0.5 },
    { word: 'red', start: 0.5, end: 1 },
    { word: 'circle.', start: 1, end: 1.5 },
    { word: 'Two', start: 1.5, end: 2 },
    { word: 'blue', start: 2, end: 2.5 },
    { word: 'squares.', start: 2.5, end: 3 },
  ];
  const segments = [
    { id: 0, start: 0, end: 1.5, text: ' A red circle.' },
    { id: 1, start: 1.5, end: 3, text: ' Two blue squares.' },
  ].map((segment) => ({
    ...segment,
    seek: 0,
    tokens: [0, 1, 2],
    temperature: 0,
    avg_logprob: -0.1,
    compression_ratio: 1,
    no_speech_prob: 0,
  }));

  it.each([
    ['by default', [], { segments }],
    ['with segments', [fieldPart('timestamp_granularities[]', 'segment')], { segments }],
    ['with words', [fieldPart('timestamp_granularities[]', 'word')], { words }],
    [
      'with both',
      ['segment', 'word'].map((granularity) => fieldPart('timestamp_granularities', granularity)),
      { segments, words },
    ],
    [
      'with both, numbered',
      ['word', 'segment'].map((granularity, at) => fieldPart(`timestamp_granularities[${at}]`, granularity)),
      { segments, words },
    ],
  ])('answers with everything, %s', async (_title, fields, parts) => {
    const answer = await post(formOf(...fields, fieldPart('response_format', 'verbose_json'), filePart()));
    expect(answer.json).toEqual({
      task: 'transcribe',
      language: 'english',
      duration: 3,
      text: 'A red circle. Two blue squares.',
      ...parts,
      usage: { type: 'duration', seconds: 3 },
    });
  });

  it.each(['json', 'text'])('streams %s', async (response_format) => {
    const answer = await transcribe({ response_format, stream: 'True' });
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8');
    expect(eventsOf(answer.text)).toEqual([
      { type: 'transcript.text.delta', delta: 'A red circle.' },
      { type: 'transcript.text.delta', delta: ' Two blue squares.' },
      {
        type: 'transcript.text.done',
        text: 'A red circle. Two blue squares.',
        usage: {
          type: 'tokens',
          input_tokens: 150,
          input_token_details: { audio_tokens: 150 },
          output_tokens: 6,
          total_tokens: 156,
        },
      },
      '[DONE]',
    ]);
  });

  it('says what went wrong amid a stream', async () => {
    const { handler: failing } = serviceOf({
      transcript: { segments: spoken, error: new Error('secret'), failAfter: 1 },
    });
    const answer = await send(failing, sentForm(uploadOf({ stream: 'true' })));
    expect(answer.status).toBe(200);
    expect(eventsOf(answer.text)).toMatchObject([
      { type: 'transcript.text.delta' },
      { error: { code: 'internal_error' } },
    ]);
    expect(answer.text).not.toContain('secret');
  });

  it.each(['true', 'false'])('has a status of its own for what fails before (stream: %s)', async (stream) => {
    const error = new InferenceError('invalid_request', 'file: expected audio, got a picture.', {
      param: 'file',
    });
    const { handler: failing } = serviceOf({ transcript: { segments: spoken, error } });
    expectError(await send(failing, sentForm(uploadOf({ stream }))), 400, 'invalid_request', 'file');
  });

  it.each([
    [{ model: 'none' }, 404, 'model_not_found', 'model'],
    [{ model: 'fake-chat' }, 400, 'invalid_request', 'model'],
    [{ language: 'tlh' }, 400, 'invalid_request', 'language'],
    [{ response_format: 'xml' }, 400, 'invalid_request', 'response_format'],
    [{ temperature: '-0.1' }, 400, 'invalid_request', 'temperature'],
    [{ temperature: '1.1' }, 400, 'invalid_request', 'temperature'],
    [{ temperature: '0x1' }, 400, 'invalid_request', 'temperature'],
    [{ temperature: 'NaN' }, 400, 'invalid_request', 'temperature'],
    [{ temperature: 'hot' }, 400, 'invalid_request', 'temperature'],
    [{ stream: 'yes' }, 400, 'invalid_request', 'stream'],
    [{ stream: 'true', response_format: 'srt' }, 400, 'invalid_request', 'stream'],
    [{ stream: 'true', response_format: 'verbose_json' }, 400, 'invalid_request', 'stream'],
    [{ 'timestamp_granularities[]': 'word' }, 400, 'invalid_request', 'timestamp_granularities'],
    [
      { timestamp_granularities: 'letter', response_format: 'verbose_json' },
      400,
      'invalid_request',
      'timestamp_granularities[0]',
    ],
    [{ 'include[]': 'logprobs' }, 400, 'unsupported_feature', 'include'],
    [{ chunking_strategy: '{"type":"server_vad"}' }, 400, 'unsupported_feature', 'chunking_strategy'],
    [{ 'known_speaker_names[]': 'Ann' }, 400, 'unsupported_feature', 'known_speaker_names'],
    [
      { 'known_speaker_references[]': 'data:audio/wav;base64,AAAA' },
      400,
      'unsupported_feature',
      'known_speaker_references',
    ],
    [{ translate: 'true' }, 400, 'unsupported_feature', 'translate'],
  ])('refuses %j', async (fields: Record<string, string>, status, code, param) => {
    expectError(await transcribe(fields), status, code, param);
  });

  it.each([
    ['temperature', '0'],
    ['temperature', '1'],
    ['temperature', '1.0'],
    ['temperature', '.5'],
    ['temperature', '1e-3'],
    ['chunking_strategy', 'auto'],
    ['translate', 'False'],
    ['task', 'transcribe'],
    ['constructor', 'x'],
    ['__proto__', 'x'],
    ['unknown', 'x'],
  ])('takes %s %s', async (name, value) => {
    expect((await transcribe({ [name]: value })).status).toBe(200);
    expect((await post(formOf(fieldPart(name, value), filePart()))).status).toBe(200);
  });

  it('takes unknown fields as often as they come, but not those that it knows', async () => {
    const twice = (name: string, value: string) =>
      post(formOf(fieldPart(name, value), fieldPart(name, value), filePart()));
    expect((await twice('tag', 'x')).status).toBe(200);
    expectError(await twice('model', 'ears'), 400, 'invalid_request', 'model');
    expectError(await twice('temperature', '0'), 400, 'invalid_request', 'temperature');
  });

  it.each([
    ['no file', formOf(fieldPart('model', 'ears')), 'got none'],
    ['an empty form', formOf(), 'got none'],
    ['text for a file', formOf(fieldPart('file', 'speech.mp3')), 'got text'],
    ['text beside a file', formOf(filePart(), fieldPart('file', 'speech.mp3')), 'got text'],
    ['two files', formOf(filePart(), filePart()), 'several'],
    ['a file in another field', formOf(filePart('RIFF', 'audio')), '"audio"'],
    ['a file in a field without a name', formOf(filePart('RIFF', '')), '""'],
    ['a second file in another field', formOf(filePart(), filePart('RIFF', 'audio')), '"audio"'],
    ['a file without bytes', formOf(filePart('')), 'no bytes'],
  ])('refuses %s', async (_title, body, message) => {
    const answer = await post(body);
    expectError(answer, 400, 'invalid_request', 'file');
    expect(answer.json.error.message).toContain(message);
    expect(answer.json.error.message).toMatch(/^file: expected/);
  });

  it.each([
    ['JSON', { json: { file: 'AAAA' } }, 415, 'unsupported_media_type'],
    ['a form that breaks off', sentForm(filePart('abc')), 400, 'invalid_request'],
    [
      'a form that a body parser has read',
      { ...sentForm(''), body: { parsed: { model: 'ears' } } },
      400,
      'invalid_request',
    ],
    [
      '10,000 fields',
      sentForm(formOf(filePart(), ...Array.from({ length: 10_000 }, () => fieldPart('a', 'b')))),
      400,
      'invalid_request',
    ],
  ])('refuses %s', async (_title, sent, status, code) => {
    expectError(await send(handler, { ...sent, url: '/v1/audio/transcriptions' }), status, code);
  });

  it('refuses a long field', async () => {
    const answer = await transcribe({ prompt: 'a'.repeat(64 * 1024 + 1) });
    expectError(answer, 400, 'invalid_request', 'prompt');
  });

  it('helps those who send JSON', async () => {
    const answer = await send(handler, { url: '/v1/audio/transcriptions', json: {} });
    expect(answer.json.error.message).toContain('multipart/form-data');
  });

  it('refuses a large file, and reads no further', async () => {
    const { handler: small } = serviceOf({}, { maxUploadBytes: 100_000 });
    let sent = 0;
    async function* endless(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(filePart('').slice(0, -2));
      for (;;) {
        sent += 10_000;
        yield new Uint8Array(10_000);
      }
    }
    expectError(await send(small, { ...sentForm(''), body: endless() }), 413, 'request_too_large');
    expect(sent).toBeLessThan(130_000);
    expect((await send(small, sentForm(uploadOf({}, 'a'.repeat(90_000))))).status).toBe(200);
  });

  it('keeps nothing of an upload that its client breaks off', async () => {
    const client = new AbortController();
    let isWritten: (files: string[]) => void;
    const written = new Promise<string[]>((resolve) => (isWritten = resolve));
    async function* slow(): AsyncGenerator<Uint8Array> {
      yield Buffer.from(filePart('abc'.repeat(100_000)).slice(0, -2));
      await vi.waitFor(async () => expect(await directory.files()).toHaveLength(1));
      isWritten(await directory.files());
      await new Promise<void>((_resolve, reject) =>
        client.signal.addEventListener('abort', () => reject(new Error('aborted'))),
      );
    }
    const { inference: unasked, handler: waiting } = serviceOf();
    const answer = send(waiting, { ...sentForm(''), body: slow(), signal: client.signal });
    expect(await written).toEqual([expect.stringMatching(/^slashv1-upload-[0-9a-f-]{36}$/)]);
    client.abort();
    expect((await answer).status).toBe(499);
    expect(unasked.calls).toEqual([]);
  });

  it.each(['true', 'false'])('is cancelled by a client that goes (stream: %s)', async (stream) => {
    const client = new AbortController();
    const { inference: slow, handler: waiting } = serviceOf({
      transcript: { segments: spoken, delayMs: 60_000 },
    });
    const answer = send(waiting, { ...sentForm(uploadOf({ stream })), signal: client.signal });
    await vi.waitFor(() => expect(slow.running).toBe(1));
    expect(await directory.files()).toHaveLength(1);
    client.abort();
    expect((await answer).status).toBe(499);
    expect([slow.running, slow.cancelled]).toEqual([0, 1]);
  });

  it('keeps the file until a stream is left', async () => {
    const { inference: slow, handler: waiting } = serviceOf(
      { transcript: { segments: spoken, delayMs: 60_000 } },
      { keepAliveMs: 10 },
    );
    const { body } = await waiting(toRequest(sentForm(uploadOf({ stream: 'true' }))));
    expect(await directory.files()).toHaveLength(1);
    await (body as AsyncIterable<string>)[Symbol.asyncIterator]().return!();
    await vi.waitFor(() => expect(slow.running).toBe(0));
    await vi.waitFor(async () => expect(await directory.files()).toEqual([]));
  });

  it('hands on an absolute path', async () => {
    const { inference: asked, handler: here } = serviceOf(
      {},
      { uploadDirectory: relative(process.cwd(), directory.path) },
    );
    expect((await send(here, sentForm(uploadOf()))).status).toBe(200);
    const { path } = asked.requestsOf('transcription')[0]!.audio as { path: string };
    expect(dirname(path)).toBe(directory.path);
  });

  it('fails where there is no folder for files', async () => {
    const causes: unknown[] = [];
    const { handler: homeless } = serviceOf(
      {},
      { uploadDirectory: `${directory.path}/none`, onError: ({ cause }) => causes.push(cause) },
    );
    expectError(await send(homeless, sentForm(uploadOf())), 507, 'insufficient_storage');
    expect(causes).toMatchObject([
      { message: expect.stringContaining('uploadDirectory'), cause: { code: 'ENOENT' } },
    ]);
  });

  it('counts requests against quotas, not tokens, and not those that fail', async () => {
    let reply: () => string = () => {
      throw new Error('lost');
    };
    const { handler: metered } = serviceOf(
      { transcript: () => reply() },
      {
        auth: { keys: [{ key: 'test-key', plan: 'one' }] },
        plans: { one: { quota: { requests: 1, tokens: 1, perSeconds: 3600 } } },
      },
    );
    const ask = () => {
      const sent = sentForm(uploadOf());
      return send(metered, { ...sent, headers: { ...sent.headers, authorization: 'Bearer test-key' } });
    };
    expect((await ask()).status).toBe(500);
    reply = () => 'a b c';
    expect((await ask()).status).toBe(200);
    expectError(await ask(), 403, 'quota_exceeded');
  });

  it('answers any value of any field with 200 or an error of the client', async () => {
    const name = fc.constantFrom(
      ...Object.keys(transcriptionFieldsSchema.shape),
      'timestamp_granularities[]',
      'include[]',
    );
    const value = fc.oneof(fc.string(), fc.constantFrom('word', 'verbose_json', 'true', '0.3', 'de', 'null'));
    const fields = fc.array(fc.tuple(name, value), { maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fields, async (given) => {
        const { status } = await post(formOf(...given.map((field) => fieldPart(...field)), filePart()));
        expect([200, 400, 404]).toContain(status);
      }),
      { numRuns: runs(300) },
    );
  });
});

describe('uploads', () => {
  it.each([{ uploadDirectory: '' }, { uploadDirectory: 3 }, { maxUploadBytes: 0 }, { maxUploadBytes: 1.5 }])(
    'refuses %j',
    (options) => {
      const [name] = Object.keys(options);
      expect(() => serviceOf({}, options as Partial<HandlerOptions>)).toThrow(`${name}: expected`);
    },
  );
});

describe('the mapping', () => {
  it('reads a form', () => {
    const fields = Object.entries({ temperature: ' 0.2 ', response_format: 'verbose_json', stream: 'false' });
    expect(fromTranscriptionRequest(fields.map(([name, value]) => ({ name, value })))).toEqual({
      model: undefined,
      request: {
        temperature: 0.2,
        language: undefined,
        prompt: undefined,
        wordTimestamps: false,
        diarize: false,
        multichannel: undefined,
      },
      format: 'verbose_json',
      segments: true,
      stream: false,
    });
  });

  it('reads whether each channel is transcribed by itself', async () => {
    const answer = await transcribe({ multichannel: 'True', response_format: 'verbose_json' });
    expect(inference.requestsOf('transcription').at(-1)).toMatchObject({ multichannel: true });
    expect(answer.json.segments[0]).toMatchObject({ channel: 0 });
    const refused = { multichannel: 'true', response_format: 'diarized_json' };
    expectError(await transcribe(refused), 400, 'invalid_request', 'multichannel');
    expectError(await transcribe({ multichannel: '2' }), 400, 'invalid_request', 'multichannel');
  });

  it.each([
    ['de', 'german'],
    ['haw', 'hawaiian'],
    ['x-unheard-of', 'x-unheard-of'],
    [undefined, 'unknown'],
  ])('writes the language %s as %s', (language, name) => {
    const result = { text: '', language, durationSeconds: 0.123456, segments: [] };
    const { duration, ...rest } = toVerboseTranscription(result, { segments: false, words: true });
    expect([rest.language, duration, rest.words, 'segments' in rest]).toEqual([name, 0.123, [], false]);
  });

  it.each([
    [[' a', ' b'], 'a b'],
    [['', '  ', ' a ', '', ' b '], 'a  b'],
    [['a', 'b'], 'ab'],
    [[], ''],
  ])('streams deltas of %j that make up the text', (texts, text) => {
    const toEvents = createTranscriptionStreamer();
    const deltas = texts.flatMap((given) =>
      toEvents({ type: 'segment', segment: { text: given, tokens: [1, 2] } as never }),
    );
    const [done] = toEvents({ type: 'transcription-end', language: 'en', durationSeconds: 1 });
    const output_tokens = 2 * texts.length;
    expect(done).toEqual({
      type: 'transcript.text.done',
      text,
      usage: {
        type: 'tokens',
        input_tokens: 50,
        input_token_details: { audio_tokens: 50 },
        output_tokens,
        total_tokens: 50 + output_tokens,
      },
    });
    expect(deltas.map((event) => (event as { delta: string }).delta).join('')).toBe(text);
  });
});
