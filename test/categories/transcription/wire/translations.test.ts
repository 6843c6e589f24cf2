import { rm } from 'node:fs/promises';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { verboseTranscriptionSchema } from '../../../../src/categories/transcription/wire/schema.ts';
import { createHandler } from '../../../../src/create-handler.ts';
import { createFakeInference } from '../../../../src/testing/fake-inference.ts';
import { sentForm, uploadDirectory, uploadOf } from '../../../server/forms.ts';
import { expectError, send, type Answer } from '../../../server/support.ts';

const directory = await uploadDirectory();
afterEach(async () => expect(await directory.files()).toEqual([]));
afterAll(() => rm(directory.path, { recursive: true }));

const inference = createFakeInference({
  models: ['fake-chat', { id: 'ears', category: 'transcription' }],
  transcript: { segments: ['A red circle.', 'Two blue squares.'], language: 'de' },
});
const handler = createHandler(inference, {
  auth: 'none',
  onError: () => {},
  uploadDirectory: directory.path,
});
const translate = (fields: Record<string, string> = {}): Promise<Answer> =>
  send(handler, { ...sentForm(uploadOf(fields)), url: '/v1/audio/translations' });

describe('POST /audio/translations', () => {
  it('asks for English text', async () => {
    const form = { model: 'ears', language: 'de', prompt: 'Circles', temperature: '0.5' };
    const { status, json } = await translate(form);
    expect(status).toBe(200);
    expect(json).toEqual({
      text: 'A red circle. Two blue squares.',
      usage: { type: 'duration', seconds: 3 },
    });
    expect(inference.requestsOf('transcription').at(-1)).toMatchObject({
      model: 'ears',
      task: 'translate',
      language: 'de',
      prompt: 'Circles',
      temperature: 0.5,
    });
  });

  it('says in verbose_json that its text is English, whatever was spoken', async () => {
    const { json } = await translate({ response_format: 'verbose_json' });
    expect(verboseTranscriptionSchema.parse(json)).toEqual(json);
    expect(json).toMatchObject({ task: 'translate', language: 'english', duration: 3 });
    expect(json.segments.map(({ text }: any) => text)).toEqual([' A red circle.', ' Two blue squares.']);
  });

  it.each([
    ['text', /^A red circle\. Two blue squares\.\n$/],
    ['srt', /^1\n00:00:00,000 --> 00:00:01,500\nA red circle\.\n/],
    ['vtt', /^WEBVTT\n/],
  ])('answers as %s', async (response_format, text) => {
    expect((await translate({ response_format })).text).toMatch(text);
  });

  it.each([
    [{ stream: 'true' }, 'unsupported_feature', 'stream'],
    [{ response_format: 'diarized_json' }, 'invalid_request', 'response_format'],
    [{ 'timestamp_granularities[]': 'word' }, 'unsupported_feature', 'timestamp_granularities'],
    [{ task: 'transcribe' }, 'unsupported_feature', 'task'],
    [{ to_language: 'fr' }, 'unsupported_feature', 'to_language'],
    [{ 'include[]': 'logprobs' }, 'unsupported_feature', 'include'],
    [{ response_format: 'diarized_json' }, 'invalid_request', 'response_format'],
    [{ temperature: '2' }, 'invalid_request', 'temperature'],
    [{ model: 'fake-chat' }, 'invalid_request', 'model'],
  ])('refuses %j', async (fields: Record<string, string>, code, param) => {
    expectError(await translate(fields), 400, code, param);
  });

  it.each([{ task: 'translate' }, { stream: 'false' }, { to_language: 'en' }, { language: '' }])(
    'takes %j',
    async (fields: Record<string, string>) => {
      expect((await translate(fields)).status).toBe(200);
    },
  );
});
