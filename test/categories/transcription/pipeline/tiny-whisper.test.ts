import type {
  TranscriptionEvent,
  TranscriptionModelInfo,
} from '../../../../src/categories/transcription/events.ts';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createRng } from '../../../../src/core/sampling/rng.ts';
import type { Pipeline } from '../../../../src/contracts/category.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequestInput,
  type TranscriptionRequest,
} from '../../../../src/categories/transcription/request.ts';
import { collectTranscription } from '../../../../src/categories/transcription/result.ts';
import { loadPipeline } from '../../../../src/loading/load-pipeline.ts';
import { join, readSpeech, sampleRateHz, silence, speechPath, toWav } from './recordings.ts';

interface Sentence {
  readonly text: string;
  readonly seconds: number;
  /** When its words begin. */
  readonly words: readonly number[];
}

const { sentences } = JSON.parse(readFileSync(new URL('golden/speech.json', import.meta.url), 'utf8')) as {
  readonly sentences: Readonly<Record<string, Sentence>>;
};
const names = Object.keys(sentences);

let pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>;
beforeAll(async () => {
  pipeline = await loadPipeline({
    id: 'tiny-whisper',
    category: 'transcription',
    source: 'tiny-whisper',
    threads: 1,
  });
});
afterAll(() => pipeline.close());

const transcribe = (
  audio: TranscriptionRequestInput['audio'],
  options: Partial<TranscriptionRequestInput> = {},
) =>
  collectTranscription(
    pipeline.run(completeTranscriptionRequest({ model: 'tiny-whisper', audio, ...options })),
  );

function noise(seconds: number, loudness: number): Float32Array {
  const rng = createRng(1);
  return silence(seconds).map(() => loudness * (2 * rng.next() - 1));
}

describe('tiny-whisper', () => {
  it.each(names)('understands a sentence (%s)', async (name) => {
    const { text, language, durationSeconds, segments } = await transcribe({ path: speechPath(name) });
    expect(text).toBe(sentences[name]!.text);
    expect(language).toBe('en');
    expect(durationSeconds).toBeCloseTo(sentences[name]!.seconds, 2);
    expect(segments).toHaveLength(1);
    expect(segments[0]!.startSeconds).toBeLessThan(0.2);
    expect(segments[0]!.endSeconds).toBeGreaterThan(durationSeconds - 0.4);
  });

  it('transcribes a short recording before the end of long ones that came first', async () => {
    const ended: string[] = [];
    const long = toWav(silence(1200));
    const runs = ['long', 'long', 'long'].map((name) => transcribe(long).then(() => ended.push(name)));
    expect(pipeline.concurrency).toBeGreaterThan(runs.length);
    const { text } = await transcribe({ path: speechPath('circle') });
    ended.push('short');
    expect(text).toBe(sentences['circle']!.text);
    await Promise.all(runs);
    expect(ended).toEqual(['short', 'long', 'long', 'long']);
  });

  it('finds when each word begins', async () => {
    const { segments } = await transcribe({ path: speechPath('circle') }, { wordTimestamps: true });
    const words = segments.flatMap((segment) => segment.words!);
    expect(words.map(({ word }) => word)).toEqual(sentences['circle']!.text.split(' '));
    words.forEach(({ startSeconds }, index) =>
      expect(Math.abs(startSeconds - sentences['circle']!.words[index]!)).toBeLessThan(0.15),
    );
  });

  it('understands what is longer than one window, and tells when it was said', async () => {
    const parts: Float32Array[] = [];
    const expected: { text: string; start: number; end: number }[] = [];
    let seconds = 0;
    for (let index = 0; index < 9; index++) {
      const name = names[index % names.length]!;
      const speech = await readSpeech(name);
      const pause = silence(0.5 + 0.2 * (index % 4));
      expected.push({
        text: sentences[name]!.text,
        start: seconds,
        end: seconds + speech.length / sampleRateHz,
      });
      parts.push(speech, pause);
      seconds += (speech.length + pause.length) / sampleRateHz;
    }
    const { text, segments } = await transcribe(toWav(join(parts)));
    expect(text).toBe(expected.map((sentence) => sentence.text).join(' '));
    expect(segments.map((segment) => segment.text.trim())).toEqual(expected.map((sentence) => sentence.text));
    segments.forEach(({ startSeconds, endSeconds }, index) => {
      expect(Math.abs(startSeconds - expected[index]!.start)).toBeLessThan(0.25);
      expect(Math.abs(endSeconds - expected[index]!.end)).toBeLessThan(0.4);
    });
  });

  it('finds a sentence in a minute of silence', async () => {
    const speech = await readSpeech('circle');
    const { text, segments } = await transcribe(toWav(join([silence(41.3), speech, silence(20)])));
    expect(text).toBe(sentences['circle']!.text);
    expect(segments[0]!.startSeconds).toBeCloseTo(41.3, 0);
  });

  it.each([0, 0.001, 0.01, 0.1])('hears no words in noise of %d', async (loudness) => {
    expect((await transcribe(toWav(noise(12, loudness)))).text).toBe('');
  });

  it('understands at other temperatures, with a prompt and with the language given', async () => {
    for (const options of [{ temperature: 0.2 }, { prompt: 'I see a red circle.' }, { language: 'en' }])
      expect((await transcribe({ path: speechPath('circle') }, options)).text).toBe(
        sentences['circle']!.text,
      );
  });
});
