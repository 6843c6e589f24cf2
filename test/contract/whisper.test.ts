import { cp, mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pipeline } from '../../src/contracts/category.ts';
import type {
  TranscriptionEvent,
  TranscriptionModelInfo,
} from '../../src/categories/transcription/events.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
  type TranscriptionTask,
} from '../../src/categories/transcription/request.ts';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import { sampleRateHz, toWav } from '../categories/transcription/pipeline/recordings.ts';
import { decimalsWithin } from '../tolerance.ts';

interface GoldenCase {
  readonly kind: number;
  readonly seconds: number;
  readonly language: 'en' | 'de' | null;
  readonly task: TranscriptionTask;
  /** The vocabulary's code of the language that is heard. */
  readonly detected: string;
  /** Over the tokens of the first window. */
  readonly averageLogprob: number;
  /** Of the first window. */
  readonly segments: readonly {
    readonly start: number;
    readonly end: number;
    readonly text: string;
    readonly tokens: readonly number[];
  }[];
}

const folder = new URL('models/whisper', import.meta.url).pathname;
const { cases } = JSON.parse(await readFile(join(folder, 'golden.json'), 'utf8')) as {
  readonly cases: readonly GoldenCase[];
};

describe.each([
  ['merged', ['decoder_model.onnx', 'decoder_with_past_model.onnx']],
  ['in two graphs', ['decoder_model_merged.onnx']],
])('whisper of optimum, its decoder %s', (_, unused) => {
  let source: string;
  let pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>;
  beforeAll(async () => {
    source = await mkdtemp(join(tmpdir(), 'slashv1-whisper-'));
    await cp(folder, source, { recursive: true });
    await Promise.all(unused.map((name) => rm(join(source, 'onnx', name))));
    pipeline = await loadPipeline({
      id: 'whisper',
      category: 'transcription',
      source,
      voiceActivity: 'none',
      threads: 1,
    });
  });
  afterAll(async () => {
    await pipeline.close();
    await rm(source, { recursive: true });
  });

  it.each(cases)(
    'writes what generate() writes: tone $kind, $seconds s, $language, $task',
    async (golden) => {
      const events = await transcribe(pipeline, golden);
      const segments = events
        .filter((event) => event.type === 'segment')
        .map(({ segment }) => segment)
        .filter(({ seek }) => seek === 0);
      for (const { temperature, averageLogprob } of segments) {
        expect(temperature).toBe(0);
        expect(averageLogprob).toBeCloseTo(golden.averageLogprob, decimalsWithin(3));
      }
      expect(
        segments.map(({ startSeconds: start, endSeconds: end, text, tokens }) => ({
          start,
          end,
          text,
          tokens,
        })),
      ).toEqual(golden.segments);
      expect(events.at(-1)).toMatchObject({ language: golden.language ?? golden.detected });
    },
  );
});

async function transcribe(
  pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent, TranscriptionModelInfo>,
  { kind, seconds, language, task }: GoldenCase,
): Promise<TranscriptionEvent[]> {
  const request = completeTranscriptionRequest({
    model: 'whisper',
    audio: toWav(tone(kind, seconds)),
    task,
    ...(language === null ? {} : { language }),
  });
  const events: TranscriptionEvent[] = [];
  for await (const event of pipeline.run(request)) events.push(event);
  return events;
}

/** The same as in `generate/whisper.py`. */
function tone(kind: number, seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * sampleRateHz }, (_, index) => {
    const time = index / sampleRateHz;
    const loud = 0.4 * Math.abs(Math.sin((1 + (kind % 5)) * time + kind));
    return loud * Math.sin((600 + 90 * kind) * time + (100 + 40 * (kind % 7)) * time * time);
  });
}
