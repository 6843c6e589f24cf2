import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Pipeline } from '../../src/contracts/category.ts';
import type { TranscriptionEvent } from '../../src/categories/transcription/events.ts';
import {
  completeTranscriptionRequest,
  type TranscriptionRequest,
} from '../../src/categories/transcription/request.ts';
import { collectTranscription, type TranscriptionResult } from '../../src/categories/transcription/result.ts';
import { createResampler } from '../../src/core/audio/resample.ts';
import { loadPipeline } from '../../src/loading/load-pipeline.ts';
import { writeWav } from '../runtime/audio/write-wav.ts';
import { rate, readSamples } from './conversations.ts';
import { wordErrorRate } from './word-error-rate.ts';

const models = process.env['SLASHV1_REAL_MODELS'] ?? '';
const lineHz = 8000;
const length = 19;

/** Turns of a call: channel, stretch of the speaker's recording, and when it is said; some begin half a second early. */
const turns = [
  [0, 0, 2.6, 0.5, 'and so my fellow americans'],
  [1, 0.2, 3, 3.3, 'ever tried ever failed'],
  [0, 3.1, 7.9, 5.6, 'ask not what your country can do for you'],
  [1, 3.3, 5.8, 9.9, 'no matter try again'],
  [0, 8, 10.9, 13, 'ask what you can do for your country'],
  [1, 6.4, 9.6, 15.2, 'fail again fail better'],
] as const;
const saidOn = (...channels: number[]): string =>
  turns.flatMap(([channel, , , , said]) => (channels.includes(channel) ? [said] : [])).join(' ');

function plain(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, ' ')
    .trim();
}

/** A call as call centers record it, two channels of 8 kHz, µ-law; the second speaks by so many seconds earlier. */
async function makeCall(seconds: number): Promise<Uint8Array> {
  const recordings = [join(import.meta.dirname, 'golden/jfk.wav'), join(models, 'recordings/beckett.wav')];
  const voices = await Promise.all(recordings.map(readSamples));
  const frames = new Float32Array(2 * length * lineHz);
  for (const [channel, from, to, at] of turns) {
    const resampler = createResampler({ fromHz: rate, toHz: lineHz });
    const piece = voices[channel]!.subarray(from * rate, to * rate);
    let place = 2 * Math.round((at - channel * seconds) * lineHz) + channel;
    for (const sample of [...resampler.push(piece), ...resampler.flush()]) {
      frames[place] = sample;
      place += 2;
    }
  }
  const file = Buffer.from(writeWav(frames, { format: 7, bits: 8, sampleRateHz: lineHz }));
  file.writeUInt16LE(2, 22);
  file.writeUInt32LE(2 * lineHz, 28);
  file.writeUInt16LE(2, 32);
  return file;
}

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
