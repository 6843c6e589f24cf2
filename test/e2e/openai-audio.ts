import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseText } from 'media-captions';
import OpenAI, { APIUserAbortError, BadRequestError } from 'openai';
import { describe, expect, test } from 'vitest';

/** A running service with a transcription model and a speech model that are its first ones. */
export interface AudioService {
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly transcriptionModel: string;
  readonly speechModel: string;
  readonly fetch?: typeof fetch;
  /** Path of a recording. */
  readonly recording: string;
  /** What is said in it. */
  readonly says: RegExp;
  /** Something that takes a while to speak. */
  readonly longText: string;
  /** Resolves once the service has nothing to do. */
  idle(): Promise<unknown>;
}

/** Points the `openai` package at a service: only the base URL and the key are changed. */
export function openaiAudio(service: () => AudioService): void {
  const connect = () => {
    const { baseUrl, apiKey, fetch: ask = fetch } = service();
    return new OpenAI({ baseURL: baseUrl, apiKey, maxRetries: 0, fetch: ask });
  };
  const recorded = () => {
    const { transcriptionModel: model, recording } = service();
    return { model, file: createReadStream(recording) };
  };

  describe('the openai package, listening', () => {
    test('json', async () => {
      const { text, usage } = await connect().audio.transcriptions.create(recorded());
      expect(text).toMatch(service().says);
      expect(usage).toEqual({ type: 'duration', seconds: expect.any(Number) });
    });

    test('text', async () => {
      const options = { ...recorded(), response_format: 'text' } as const;
      expect(await connect().audio.transcriptions.create(options)).toMatch(service().says);
    });

    test.each(['srt', 'vtt'] as const)('%s', async (response_format) => {
      const options = { ...recorded(), response_format };
      const text: unknown = await connect().audio.transcriptions.create(options);
      const { cues, errors } = await parseText(text as string, {
        type: response_format,
        strict: true,
        errors: true,
      });
      expect(errors).toEqual([]);
      expect(cues.map((cue) => cue.text).join(' ')).toMatch(service().says);
      for (const [index, { startTime, endTime }] of cues.entries()) {
        expect(startTime).toBeGreaterThanOrEqual(cues[index - 1]?.endTime ?? 0);
        expect(endTime).toBeGreaterThan(startTime);
      }
    });

    test('verbose_json', async () => {
      const { text, language, duration, segments, words } = await connect().audio.transcriptions.create({
        ...recorded(),
        response_format: 'verbose_json',
        timestamp_granularities: ['segment', 'word'],
      });
      expect(text).toMatch(service().says);
      expect(language).toBe('english');
      expect(duration).toBeGreaterThan(0);
      expect(
        segments!
          .map((segment) => segment.text)
          .join('')
          .trim(),
      ).toBe(text);
      expect(words!.map(({ word }) => word).join(' ')).toBe(text);
      for (const times of [segments!, words!]) {
        const [last] = times.slice(-1);
        expect(last!.end).toBeLessThanOrEqual(duration);
        times.forEach(({ start, end }, index) => {
          expect(start).toBeGreaterThanOrEqual(times[index - 1]?.start ?? 0);
          expect(end).toBeGreaterThanOrEqual(start);
        });
      }
      expect(segments![0]).toEqual({
        id: 0,
        seek: expect.any(Number),
        start: expect.any(Number),
        end: expect.any(Number),
        text: expect.any(String),
        tokens: expect.arrayContaining([expect.any(Number)]),
        temperature: 0,
        avg_logprob: expect.any(Number),
        compression_ratio: expect.any(Number),
        no_speech_prob: expect.any(Number),
      });
    });

    test('a stream', async () => {
      const stream = await connect().audio.transcriptions.create({ ...recorded(), stream: true });
      let text = '';
      let done: string | undefined;
      for await (const event of stream) {
        if (event.type === 'transcript.text.delta') text += event.delta;
        if (event.type === 'transcript.text.done') done = event.text;
      }
      expect(text).toMatch(service().says);
      expect(done).toBe(text);
    });

    test('an abort', async () => {
      const client = new AbortController();
      const answer = connect().audio.transcriptions.create(recorded(), { signal: client.signal });
      setTimeout(() => client.abort(), 5);
      await answer.catch((error: unknown) => expect(error).toBeInstanceOf(APIUserAbortError));
      await service().idle();
    });

    test('a language that there is not', async () => {
      const error: unknown = await connect()
        .audio.transcriptions.create({ ...recorded(), language: 'tlh' })
        .then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ status: 400, code: 'invalid_request', param: 'language' });
    });
  });

  describe('the openai package, speaking', () => {
    const spoken = () => {
      const { speechModel: model } = service();
      return { model, voice: 'af_heart', input: 'a red circle' };
    };

    test('to a file', async () => {
      const directory = await mkdtemp(join(tmpdir(), 'slashv1-test-'));
      try {
        const response = await connect().audio.speech.create(spoken());
        expect(response.headers.get('content-type')).toBe('audio/wav');
        const path = join(directory, 'speech.wav');
        await writeFile(path, response.body as unknown as AsyncIterable<Uint8Array>);
        const bytes = await readFile(path);
        expect(bytes.subarray(0, 4).toString()).toBe('RIFF');
        expect(bytes.subarray(8, 12).toString()).toBe('WAVE');
        expect(bytes.length).toBeGreaterThan(44 + 10_000);
      } finally {
        await rm(directory, { recursive: true });
      }
    });

    test('pcm', async () => {
      const options = { ...spoken(), response_format: 'pcm' } as const;
      const bytes = await (await connect().audio.speech.create(options)).arrayBuffer();
      expect(bytes.byteLength % 2).toBe(0);
      expect(bytes.byteLength).toBeGreaterThan(10_000);
    });

    test('events', async () => {
      const response = await connect().audio.speech.create({ ...spoken(), stream_format: 'sse' });
      const events = (await response.text())
        .split('\n\n')
        .filter((frame) => frame.startsWith('data: {'))
        .map((frame) => JSON.parse(frame.slice(6)) as { type: string; audio?: string });
      expect(events.at(-1)!.type).toBe('speech.audio.done');
      const audio = Buffer.concat(events.map((event) => Buffer.from(event.audio ?? '', 'base64')));
      expect(audio.subarray(0, 4).toString()).toBe('RIFF');
    });

    test('an abort', async () => {
      const client = new AbortController();
      const options = { ...spoken(), input: service().longText };
      const response = await connect().audio.speech.create(options, { signal: client.signal });
      await response.body!.getReader().read();
      client.abort();
      await service().idle();
    });

    test('a voice that there is not', async () => {
      const error: unknown = await connect()
        .audio.speech.create({ ...spoken(), voice: 'nobody' })
        .then(undefined, (thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(BadRequestError);
      expect(error).toMatchObject({ status: 400, code: 'invalid_request', param: 'voice' });
      expect((error as Error).message).toContain('af_heart');
    });
  });
}
