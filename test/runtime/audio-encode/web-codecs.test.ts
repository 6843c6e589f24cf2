import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { resample } from '../../../src/core/audio/resample.ts';
import { loadWebCodecsEncoder } from '../../../src/runtime/audio-encode/web-codecs.ts';
import { readAll } from '../audio/read-all.ts';
import { encode } from './encode.ts';

const available = (await loadWebCodecsEncoder('mp3')) !== undefined;

/** How alike two recordings are at the shift at which they are most alike: 1 for the same. */
function correlate(
  decoded: Float32Array,
  samples: Float32Array,
): { readonly best: number; readonly shift: number } {
  let [best, shift] = [-1, 0];
  for (let at = 0; at < 2400; at++) {
    let [both, one, other] = [0, 0, 0];
    for (let index = 0; index < samples.length; index += 3) {
      const heard = decoded[index + at] ?? 0;
      both += heard * samples[index]!;
      one += heard * heard;
      other += samples[index]! ** 2;
    }
    const alike = both / Math.sqrt(one * other);
    if (alike > best) [best, shift] = [alike, at];
  }
  return { best, shift };
}

describe.skipIf(!available)('node-webcodecs', () => {
  const speech = async (sampleRateHz: number) => {
    const wav = await readFile(new URL('../../real/golden/jfk.wav', import.meta.url));
    return resample((await readAll(wav)).samples, { fromHz: 16_000, toHz: sampleRateHz });
  };

  it.each([
    ['mp3', 16_000],
    ['mp3', 22_050],
    ['mp3', 24_000],
    ['mp3', 44_100],
    ['aac', 16_000],
    ['aac', 24_000],
  ] as const)('writes %s of %i Hz with all samples', async (format, sampleRateHz) => {
    const samples = await speech(sampleRateHz);
    const bytes = await encode(await loadWebCodecsEncoder(format), samples, { sampleRateHz, piece: 5000 });
    const decoded = (await readAll(bytes, { ffmpegPath: '/nonexistent' })).samples;
    const expected = resample(samples, { fromHz: sampleRateHz, toHz: 16_000 });
    const { best, shift } = correlate(decoded, expected);
    expect(best).toBeGreaterThan(format === 'mp3' ? 0.9999 : 0.98);
    // ADTS can't say how long the encoder waits before it begins.
    expect(shift).toBeLessThanOrEqual(format === 'mp3' ? 0 : 1024);
    expect(decoded.length).toBeGreaterThanOrEqual(expected.length + shift);
    expect(decoded.length - expected.length).toBeLessThan(format === 'mp3' ? 600 : 2048);
  });

  it.each(['mp3', 'aac', 'flac'] as const)('gives %s while the audio is made', async (format) => {
    let made = 0;
    async function* pieces(): AsyncGenerator<Float32Array> {
      for (; made < 10; made++) yield new Float32Array(24_000);
    }
    const encoder = (await loadWebCodecsEncoder(format))!;
    for await (const _ of encoder.encode(pieces(), { sampleRateHz: 24_000, isWhole: false })) break;
    expect(made).toBe(0);
  });

  it.each(['mp3', 'aac', 'flac'] as const)('ends %s when the caller aborts', async (format) => {
    const samples = new Float32Array(24_000);
    const options = { sampleRateHz: 24_000, signal: AbortSignal.abort() };
    await expect(encode(await loadWebCodecsEncoder(format), samples, options)).rejects.toMatchObject({
      code: 'cancelled',
    });
  });
});
