import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TranscriptionEvent } from '../../src/categories/transcription/events.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
} from '../../src/categories/transcription/request.ts';
import { collectTranscription } from '../../src/categories/transcription/result.ts';
import type { Pipeline } from '../../src/contracts/category.ts';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';

const models = process.env['SLASHV1_REAL_MODELS'] ?? '';
const { heard } = JSON.parse(await readFile(new URL('golden/moonshine.json', import.meta.url), 'utf8')) as {
  readonly heard: Readonly<Record<string, readonly number[]>>;
};
const paths: Readonly<Record<string, string>> = {
  jfk: join(import.meta.dirname, 'golden/jfk.wav'),
  beckett: join(models, 'recordings/beckett.wav'),
};

let pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent>;
beforeAll(async () => {
  const source = join(models, 'moonshine-base');
  pipeline = await loadPipeline({
    id: 'moonshine',
    category: 'transcription',
    source,
    voiceActivity: 'none',
  });
});
afterAll(() => pipeline.close());

it.each(Object.entries(heard))(
  "Moonshine base hears %s as its makers' package does",
  async (name, tokens) => {
    const request = completeTranscriptionRequest({ model: 'moonshine', audio: { path: paths[name]! } });
    const { text, segments } = await collectTranscription(pipeline.run(request));
    console.log(text);
    expect(segments.flatMap((segment) => segment.tokens)).toEqual(tokens);
  },
);
