import { createReadStream } from 'node:fs';
import { copyFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import OpenAI, { toFile } from 'openai';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { default as wavefile } from 'wavefile';
import { speech, transcription } from '../../dist/src/index.js';
import { loadWebCodecsEncoder } from '../../src/runtime/audio-encode/web-codecs.ts';
import { eventually } from '../engine/processes.ts';
import { openaiAudio } from './openai-audio.ts';
import { serve, type RunningService } from './serve.ts';

// The whole way: HTTP, handler, engine, worker processes and the bundled models.
const key = 'sk-of-a-test';
const hasWebCodecs = (await loadWebCodecsEncoder('mp3')) !== undefined;
const media = join(import.meta.dirname, 'media');
const sentence = 'A red circle is above a blue square.';
// Little words are the model's affair; its card tells how many it gets right.
const says = /red circle.* above .*blue square/i;
let folder: string;
let service: RunningService;
let openai: OpenAI;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
  service = await serve(
    {
      'tiny-whisper': transcription({ source: 'tiny-whisper' }),
      'tiny-speech': speech({ source: 'tiny-speech' }),
      translator: transcription({ source: join(import.meta.dirname, '../contract/models/whisper') }),
    },
    { auth: { keys: [key] }, uploadDirectory: folder, maxUploadBytes: 16 * 1024 * 1024, onError: () => {} },
  );
  openai = new OpenAI({ baseURL: `${service.origin}/v1`, apiKey: key, maxRetries: 0 });
}, 120_000);

afterAll(async () => {
  await service.close();
  expect(await readdir(folder)).toEqual([]);
  await rm(folder, { recursive: true });
});

const idle = () =>
  eventually(() => service.inference.status().every(({ running, waiting }) => running + waiting === 0));
const transcribe = async (path: string) =>
  (await openai.audio.transcriptions.create({ model: 'tiny-whisper', file: createReadStream(path) })).text;
const speak = async (body: Partial<OpenAI.Audio.SpeechCreateParams> = {}) => {
  const response = await openai.audio.speech.create({
    model: 'tiny-speech',
    voice: 'af_heart',
    input: sentence,
    ...body,
  });
  return Buffer.from(await response.arrayBuffer());
};

/** The recording so many times. */
async function repeated(times: number): Promise<Buffer> {
  const recording = await readFile(join(media, 'speech.wav'));
  const file = new wavefile.WaveFile(recording);
  const samples = file.getSamples(false, Int16Array) as unknown as Int16Array;
  const all = new Int16Array(samples.length * times);
  for (let at = 0; at < times; at += 1) all.set(samples, at * samples.length);
  const longer = new wavefile.WaveFile();
  longer.fromScratch(1, 24_000, '16', all);
  return Buffer.from(longer.toBuffer());
}

openaiAudio(() => ({
  baseUrl: `${service.origin}/v1`,
  apiKey: key,
  transcriptionModel: 'tiny-whisper',
  speechModel: 'tiny-speech',
  recording: join(media, 'speech.wav'),
  says,
  longText: `${sentence} `.repeat(200),
  idle,
}));

describe('POST /v1/audio/transcriptions', () => {
  it.each(['wav', 'mp3', 'mp4', 'm4a', 'webm', 'ogg', 'flac'])('hears a %s file', async (type) => {
    expect(await transcribe(join(media, `speech.${type}`))).toMatch(says);
  });

  it.each(['mpeg', 'mpga', 'txt'])('hears it also where its name ends in %s', async (type) => {
    const elsewhere = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
    const path = join(elsewhere, `speech.${type}`);
    await copyFile(join(media, 'speech.mp3'), path);
    expect(await transcribe(path)).toMatch(says);
    await rm(elsewhere, { recursive: true });
  });

  it.each([
    ['text', Buffer.from('I am no recording.')],
    ['a picture', Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex')],
    ['zeros', Buffer.alloc(10_000)],
    ['a WAV header alone', Buffer.from('RIFF\x24\0\0\0WAVE')],
  ])('says what is wrong with %s', async (_title, bytes) => {
    const file = await toFile(bytes, 'speech.wav');
    await expect(openai.audio.transcriptions.create({ model: 'tiny-whisper', file })).rejects.toMatchObject({
      status: 400,
      code: 'invalid_request',
      param: 'file',
    });
  });

  it('tells when each segment of a long recording is said', async () => {
    const file = await toFile(await repeated(12), 'speech.wav');
    const { duration, segments } = await openai.audio.transcriptions.create({
      model: 'tiny-whisper',
      file,
      response_format: 'verbose_json',
    });
    expect(duration).toBeGreaterThan(20);
    expect(segments!.length).toBeGreaterThan(3);
    expect(segments!.map(({ id }) => id)).toEqual([...segments!.keys()]);
    let before = 0;
    for (const { start, end } of segments!) {
      expect(start).toBeGreaterThanOrEqual(before);
      expect(end).toBeGreaterThan(start);
      before = end;
    }
    expect(before).toBeLessThanOrEqual(duration);
    expect(before).toBeGreaterThan(duration - 5);
  }, 120_000);

  it('stops listening when its client goes', async () => {
    const file = await toFile(await repeated(100), 'speech.wav');
    const client = new AbortController();
    const stream = await openai.audio.transcriptions.create(
      { model: 'tiny-whisper', file, stream: true },
      { signal: client.signal },
    );
    for await (const event of stream) {
      expect(event.type).toBe('transcript.text.delta');
      expect(service.inference.status()).toMatchObject([{ running: 1 }, { running: 0 }, { running: 0 }]);
      expect(await readdir(folder)).toHaveLength(1);
      break;
    }
    client.abort();
    await idle();
    await vi.waitFor(async () => expect(await readdir(folder)).toEqual([]));
  }, 120_000);

  it('hears several at once', async () => {
    const paths = ['wav', 'mp3', 'webm', 'flac'].map((type) => join(media, `speech.${type}`));
    for (const text of await Promise.all(paths.map(transcribe))) expect(text).toMatch(says);
  });
});

describe('POST /v1/audio/translations', () => {
  const recording = () => createReadStream(join(media, 'speech.wav'));

  it('is answered by a model that has the task', async () => {
    const translation = await openai.audio.translations.create({
      model: 'translator',
      file: recording(),
      response_format: 'verbose_json',
    });
    expect(translation).toMatchObject({ language: 'english', text: expect.any(String) });
  });

  it('is refused by one that has not', async () => {
    await expect(
      openai.audio.translations.create({ model: 'tiny-whisper', file: recording() }),
    ).rejects.toMatchObject({ status: 400, code: 'unsupported_feature', param: 'model' });
  });
});

describe('POST /v1/audio/speech', () => {
  it('says what can be heard again', async () => {
    const file = await toFile(await speak(), 'speech.wav');
    const { text } = await openai.audio.transcriptions.create({ model: 'tiny-whisper', file });
    expect(text).toMatch(says);
  });

  it('sends a WAV file that a reader of such files takes', async () => {
    const { fmt, data } = new wavefile.WaveFile(await speak()) as unknown as {
      fmt: { sampleRate: number; numChannels: number; bitsPerSample: number };
      data: { samples: Uint8Array };
    };
    expect(fmt).toMatchObject({ sampleRate: 24_000, numChannels: 1, bitsPerSample: 16 });
    expect(data.samples.length / 48_000).toBeGreaterThan(1);
    expect(data.samples.length / 48_000).toBeLessThan(6);
  });

  it('speaks faster and slower', async () => {
    const [fast, slow] = await Promise.all([2, 0.5].map((speed) => speak({ speed, response_format: 'pcm' })));
    expect(slow!.length / fast!.length).toBeGreaterThan(2.5);
    expect(slow!.length / fast!.length).toBeLessThan(5);
  });

  it('speaks with every voice of the list, and with mixed ones', async () => {
    const response = await fetch(`${service.origin}/v1/audio/voices`, {
      headers: { authorization: `Bearer ${key}` },
    });
    const { voices } = (await response.json()) as { voices: { id: string; model: string }[] };
    expect(voices.map(({ id }) => id)).toContain('af_heart');
    expect(voices.length).toBeGreaterThanOrEqual(3);
    const ids = [...voices.map(({ id }) => id), 'af_heart+am_adam'];
    const spoken = await Promise.all(ids.map((voice) => speak({ voice, response_format: 'pcm' })));
    expect(new Set(spoken.map((bytes) => bytes.toString('base64'))).size).toBe(ids.length);
  });

  it('sends a long text piece by piece', async () => {
    const input = `${sentence} `.repeat(12);
    const response = await openai.audio.speech.create({ model: 'tiny-speech', voice: 'af_heart', input });
    expect(response.headers.get('content-length')).toBe(null);
    let pieces = 0;
    for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>) pieces += 1;
    expect(pieces).toBeGreaterThan(5);
    const whole = await openai.audio.speech.create({
      model: 'tiny-speech',
      voice: 'af_heart',
      input: sentence,
    });
    expect(Number(whole.headers.get('content-length'))).toBe((await whole.arrayBuffer()).byteLength);
  });

  it.skipIf(!hasWebCodecs)('speaks MP3 without an ffmpeg, while it speaks, and hears it', async () => {
    const input = `${sentence} `.repeat(12);
    const body = { model: 'tiny-speech', voice: 'af_heart', response_format: 'mp3' } as const;
    const response = await openai.audio.speech.create({ ...body, input });
    expect(response.headers.get('content-type')).toBe('audio/mpeg');
    let pieces = 0;
    for await (const _ of response.body as unknown as AsyncIterable<Uint8Array>) pieces += 1;
    expect(pieces).toBeGreaterThan(5);
    const file = await toFile(await speak({ response_format: 'mp3' }), 'speech.mp3');
    const { text } = await openai.audio.transcriptions.create({ model: 'tiny-whisper', file });
    expect(text).toBe(await transcribe(join(media, 'speech.mp3')));
  });
});
