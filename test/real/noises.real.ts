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
});
