import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pipeline } from '../../src/contracts/category.ts';
import type { TranscriptionEvent } from '../../src/categories/transcription/events.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
} from '../../src/categories/transcription/request.ts';
import { collectTranscription, type TranscriptionResult } from '../../src/categories/transcription/result.ts';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import { makeCall, plain, saidOn } from './call.ts';
import { wordErrorRate } from './word-error-rate.ts';

const models = process.env['SLASHV1_REAL_MODELS'] ?? '';

describe.each(['whisper-base', 'whisper-tiny-en'])('a call of two people, by %s', (model) => {
  let pipeline: Pipeline<TranscriptionRequest, TranscriptionEvent>;
  beforeAll(async () => {
    pipeline = await loadPipeline({
      id: model,
      category: 'transcription',
      source: join(models, model),
      dtype: 'fp32',
    });
  });
  afterAll(() => pipeline.close());

  it.each([
    ['in turns', 0],
    ['at once', 1.5],
  ])('of people who speak %s', async (kind, early) => {
    const audio = await makeCall(early);
    const hear = (multichannel: boolean): Promise<TranscriptionResult> => {
      const request = { model, audio, multichannel, language: 'en' };
      return collectTranscription(pipeline.run(completeTranscriptionRequest(request)));
    };
    const [merged, separate] = [await hear(false), await hear(true)];
    const together = wordErrorRate(saidOn(0, 1), plain(merged.text));
    const apart = [0, 1].map((channel) => {
      const own = separate.segments.filter((segment) => segment.channel === channel);
      return wordErrorRate(saidOn(channel), plain(own.map(({ text }) => text).join(' ')));
    });
    console.log(
      `${model} ${kind}: merged ${together.toFixed(3)}, by channel ${apart.map((one) => one.toFixed(3)).join(', ')}`,
    );
    console.log(
      `${model} ${kind}: ${merged.text}\n${separate.segments.map(({ channel, text }) => `${channel}${text}`).join('\n')}`,
    );
    expect(Math.max(...apart)).toBeLessThanOrEqual(0.1);
    if (early > 0) expect(together).toBeGreaterThan(2 * Math.max(...apart));
  });
});
