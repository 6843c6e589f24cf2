import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pipeline } from '../../src/contracts/category.ts';
import type { TranscriptionEvent } from '../../src/categories/transcription/events.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
} from '../../src/categories/transcription/request.ts';
import { collectTranscription } from '../../src/categories/transcription/result.ts';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import { join as joinSamples, toWav } from '../categories/transcription/pipeline/recordings.ts';
import { names, recordingOf } from './golden/noises.js';

/** What faster-whisper writes, with and without a prompt and its detector of speech. */
type Answers = Readonly<Record<'plain' | 'plain vad' | 'prompt' | 'prompt vad', string>>;

const golden = JSON.parse(await readFile(new URL('golden/noises.json', import.meta.url), 'utf8')) as {
  readonly prompt: string;
  readonly heard: Readonly<Record<string, Readonly<Record<string, Answers>>>>;
};
const models = process.env['SLASHV1_REAL_MODELS'] ?? '';
/** Words that are heard in wind by numbers of 8 bits alone, on an AMD EPYC; a detector of speech leaves them out. */
const invented: Readonly<Record<string, number>> = {
  'whisper-tiny-en q8 wind': 1,
};
const wordsOf = (text: string): number => text.match(/[\p{L}\p{N}']+/gu)?.length ?? 0;

const variants = ['whisper-base', 'whisper-tiny-en'].flatMap((model) =>
  (['fp32', 'q8'] as const).map((dtype) => ({ model, dtype })),
);

const headerBytes = 44;
const samplesOf = (wav: Uint8Array): Float32Array => {
  const view = new DataView(wav.buffer, wav.byteOffset + headerBytes);
  return Float32Array.from(
    { length: Math.floor(view.byteLength / 2) },
    (_, index) => view.getInt16(2 * index, true) / 32_768,
  );
};
const jfk = samplesOf(await readFile(new URL('golden/jfk.wav', import.meta.url)));

describe.each(variants)('$model $dtype', ({ model, dtype }) => {
  let pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent>;
  beforeAll(async () => {
    const source = join(models, model);
    pipeline = await loadPipeline({ id: model, category: 'transcription', source, dtype });
  });
  afterAll(() => pipeline.close());

  const hear = async (name: string, prompt?: string): Promise<string> => {
    const request = { model, audio: recordingOf(name), prompt, language: 'en' };
    return (await collectTranscription(pipeline.run(completeTranscriptionRequest(request)))).text;
  };

  it.each(names)('hears nobody in %s, prompted or not', async (name) => {
    const [plain, prompted] = [await hear(name), await hear(name, golden.prompt)];
    const theirs = golden.heard[model]![name]!;
    console.log(
      [model, dtype, name, plain, prompted, ...Object.values(theirs)]
        .map((text, place) => (place < 3 ? text : `${wordsOf(text)} ${JSON.stringify(text.slice(0, 40))}`))
        .join(' | '),
    );
    for (const text of [plain, prompted])
      expect(wordsOf(text)).toBeLessThanOrEqual(invented[`${model} ${dtype} ${name}`] ?? 0);
  });

  it.each([
    ['chords', 29],
    ['chords', 35],
    ['a melody', 29],
    ['a melody', 35],
  ])('hears speech after %s of %i seconds in its own language', async (name, seconds) => {
    const music = samplesOf(recordingOf(name));
    const intro = joinSamples([music, music, music, music]).subarray(0, seconds * 16_000);
    const request = { model, audio: toWav(joinSamples([intro, jfk])) };
    const result = await collectTranscription(pipeline.run(completeTranscriptionRequest(request)));
    console.log([model, dtype, name, seconds, result.language, result.text].join(' | '));
    if (model === 'whisper-base') expect(result.language).toBe('en');
    expect(result.text).toMatch(/my fellow Americans.* ask(?:ed)? not what your country can do for you/);
  });
});
