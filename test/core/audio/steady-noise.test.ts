import { describe, expect, it } from 'vitest';
import { isSteadyNoise } from '../../../src/core/audio/frame-powers.ts';
import { openAudio } from '../../../src/runtime/audio/open-audio.ts';
import { recordingOf, names } from '../../real/golden/noises.js';
import { clips } from './golden/clips.ts';

const rate = 16_000;
const vowels = clips[7]!;

async function read(name: string): Promise<Float32Array> {
  const samples: number[] = [];
  for await (const block of (await openAudio(recordingOf(name), { maxSeconds: 60 })).blocks)
    samples.push(...block);
  return Float32Array.from(samples);
}

const steady = names.filter((name) => /^(?:white|pink|brown|hum|silence)/.test(name));

describe('steady noise', () => {
  it.each(steady)('is %s, at any loudness', async (name) => {
    const samples = await read(name);
    for (const gain of [1, 0.1])
      expect(
        isSteadyNoise(
          samples.map((one) => gain * one),
          rate,
        ),
      ).toBe(true);
  });

  it.each(names.filter((name) => !steady.includes(name)))('is not %s', async (name) => {
    expect(isSteadyNoise(await read(name), rate)).toBe(false);
  });

  it.each(['white -20 dB', 'pink -20 dB', 'brown -20 dB'])(
    'is not that with speech as loud in it: %s',
    async (name) => {
      const samples = await read(name);
      // Both have −20 dB where somebody speaks.
      vowels.forEach((value, index) => (samples[5 * rate + index]! += 0.56 * value));
      expect(isSteadyNoise(samples, rate)).toBe(false);
    },
  );

  it('is not told from less than a second', () => {
    expect(isSteadyNoise(new Float32Array(0.9 * rate), rate)).toBe(false);
  });
});
