import { readFile } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toFlacInfo } from '../../../src/core/audio/containers/flac.ts';
import { loadWebCodecsEncoder } from '../../../src/runtime/audio-encode/web-codecs.ts';

import { toPcm } from '../../../src/runtime/audio-encode/pcm.ts';
import { readAll } from '../audio/read-all.ts';
import { encode } from './encode.ts';
import { runs } from '../../thorough.ts';

const encoder = await loadWebCodecsEncoder('flac');
const flacEncoder = encoder!;

/** Rate at which this package decodes, so that what it reads is what the decoder of FLAC gives. */
const sampleRateHz = 16_000;

async function decode(bytes: Uint8Array): Promise<Int16Array> {
  const { format, samples } = await readAll(bytes, { ffmpegPath: '/nonexistent' });
  expect(format).toBe('flac');
  // The decoder's full scale is 32,767.
  return Int16Array.from(samples, (sample) => Math.round(sample * 32_767));
}

function generate(length: number, at: (index: number) => number): Float32Array {
  return Float32Array.from({ length }, (_, index) => at(index));
}

const noise = (index: number): number => ((Math.imul(index + 1, 0x9e37_79b1) >>> 8) % 65_535) / 32_767 - 1;

describe.skipIf(!encoder)('FLAC by node-webcodecs', () => {
  it.each<[string, Float32Array]>([
    ['silence', new Float32Array(10_000)],
    ['one value', new Float32Array(5000).fill(-1)],
    ['full scale, back and forth', generate(8193, (index) => (index % 2 === 0 ? 1 : -1))],
    ['full scale, at times', generate(9000, (index) => (index % 1000 === 0 ? -1 : 0))],
    ['noise of full scale', generate(9000, noise)],
    ['quiet noise', generate(9000, (index) => noise(index) / 5000)],
    ['a tone', generate(9000, (index) => 0.9 * Math.sin(index / 7))],
    ['a ramp', generate(5000, (index) => index / 5000)],
    [
      'a sound that stops within a block',
      generate(4096, (index) => (index < 1500 ? Math.sin(index / 5) : 0)),
    ],
    ...[1, 2, 3, 4, 5, 15, 16, 17, 4095, 4096, 4097, 4104, 4105].map((length): [string, Float32Array] => [
      `${length} samples`,
      generate(length, (index) => Math.sin(index / 3)),
    ]),
  ])('keeps every sample of %s', async (_title, samples) => {
    expect(await decode(await encode(flacEncoder, samples, { sampleRateHz }))).toEqual(toPcm(samples));
  });

  it('keeps every sample of anything', async () => {
    const part = fc
      .tuple(
        fc.integer({ min: 200, max: 6000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.integer(),
        fc.nat(400),
      )
      .map(([length, loudness, seed, period]) =>
        generate(
          length,
          (index) => loudness * (period < 10 ? noise(index + seed) : Math.sin((seed + index * 50) / period)),
        ),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.array(part, { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 1, max: 9000 }),
        async (parts, piece) => {
          const samples = Float32Array.from(parts.flatMap((one) => [...one]));
          const bytes = await encode(flacEncoder, samples, { sampleRateHz, piece });
          expect(await decode(bytes)).toEqual(toPcm(samples));
          expect(bytes.length).toBeLessThan(42 + samples.length * 2 + 20 * Math.ceil(samples.length / 1152));
        },
      ),
      { numRuns: runs(40), seed: 60 },
    );
  });

  it('takes little more than half of the bytes of speech', async () => {
    const wav = await readFile(new URL('../../real/golden/jfk.wav', import.meta.url));
    const { samples } = await readAll(wav);
    const bytes = await encode(flacEncoder, samples, { sampleRateHz });
    // `flac -5` 1.4 takes 196,348.
    expect(bytes.length).toBeLessThan(198_000);
    expect(await decode(bytes)).toEqual(toPcm(samples));
  });

  it('counts more frames than a byte holds', async () => {
    const samples = new Float32Array(2050 * 4096);
    const bytes = await encode(flacEncoder, samples, { sampleRateHz: 768_000 });
    const { samples: decoded } = await readAll(bytes);
    expect(decoded.length).toBe(Math.round(samples.length / 48));
  });

  it('is the same whatever the pieces, but for the length', async () => {
    const samples = generate(9000, (index) => Math.sin(index / 9));
    const whole = await encode(flacEncoder, samples, { sampleRateHz });
    expect(toFlacInfo(whole)).toMatchObject({ sampleRateHz, channels: 1, samples: 9000 });
    for (const piece of [1, 4095, 4096, 8999]) {
      const bytes = await encode(flacEncoder, samples, { sampleRateHz, piece });
      expect(toFlacInfo(bytes).samples).toBeUndefined();
      expect(bytes.subarray(42)).toEqual(whole.subarray(42));
    }
  });

  it('gives a block as soon as it is full', async () => {
    let made = 0;
    async function* pieces(): AsyncGenerator<Float32Array> {
      for (; made < 10; made++) yield new Float32Array(4096);
    }
    let parts = 0;
    for await (const _ of flacEncoder.encode(pieces(), { sampleRateHz, isWhole: false })) {
      if (++parts === 2) break;
    }
    expect(made).toBe(0);
  });

  it('ends when the caller aborts', async () => {
    const signal = AbortSignal.abort();
    await expect(
      encode(flacEncoder, new Float32Array(10_000), { sampleRateHz, signal }),
    ).rejects.toMatchObject({ code: 'cancelled' });
  });
});
