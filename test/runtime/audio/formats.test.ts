import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { chirp, correlation, delay } from './chirp.ts';
import golden from './media/golden.json' with { type: 'json' };
import { mediaPath, readAll } from './read-all.ts';
import { riffChunk, type WavOptions, writeWav } from './write-wav.ts';

const original = chirp(16_000);
/** 1 ms. */
const maxDelay = 16;
/** 1,152 samples at 44.1 kHz, rounded up. */
const longestFrame = 512;

describe('WAV', () => {
  const cases: readonly (readonly [string, WavOptions, minCorrelation: number])[] = [
    ['8 bits', { format: 1, bits: 8 }, 0.999],
    ['16 bits', { format: 1, bits: 16 }, 0.999_999],
    ['24 bits', { format: 1, bits: 24 }, 0.999_999],
    ['32 bits', { format: 1, bits: 32 }, 0.999_999],
    ['32-bit floats', { format: 3, bits: 32 }, 0.999_999],
    ['64-bit floats', { format: 3, bits: 64 }, 0.999_999],
    ['A-law', { format: 6, bits: 8 }, 0.999],
    ['µ-law', { format: 7, bits: 8 }, 0.999],
    ['extensible 16 bits', { format: 1, bits: 16, isExtensible: true }, 0.999_999],
    ['extensible floats', { format: 3, bits: 32, isExtensible: true }, 0.999_999],
    ['extensible µ-law', { format: 7, bits: 8, isExtensible: true }, 0.999],
    ['stereo', { format: 1, bits: 16, channels: 2 }, 0.999_999],
    ['24 bits of six channels', { format: 1, bits: 24, channels: 6 }, 0.999_999],
    ['8 kHz', { format: 1, bits: 16, sampleRateHz: 8000 }, 0.9999],
    ['11,025 Hz', { format: 1, bits: 16, sampleRateHz: 11_025 }, 0.9999],
    ['44,101 Hz', { format: 1, bits: 16, sampleRateHz: 44_101 }, 0.9999],
    ['192 kHz', { format: 3, bits: 32, sampleRateHz: 192_000, channels: 2 }, 0.9999],
    ['RF64', { format: 1, bits: 16, length64: 38_400 }, 0.999_999],
    ['a data length of 0', { format: 1, bits: 16, dataLength: 0 }, 0.999_999],
    ['an unknown data length', { format: 1, bits: 16, dataLength: 0xffff_ffff }, 0.999_999],
    ['a data length beyond the end', { format: 1, bits: 16, dataLength: 1_000_000 }, 0.999_999],
    [
      'a chunk of odd length',
      { format: 1, bits: 16, chunks: [riffChunk('LIST', new Uint8Array(5))] },
      0.999_999,
    ],
  ];

  it.each(cases)('of %s', async (_, options, minCorrelation) => {
    const wav = writeWav(chirp(options.sampleRateHz ?? 16_000), options);
    const { format, samples } = await readAll(wav);
    expect(format).toBe('wav');
    expect(samples.length).toBe(original.length);
    expect(correlation(original, samples)).toBeGreaterThan(minCorrelation);
    expect(Math.abs(1 - loudness(samples) / loudness(original))).toBeLessThan(0.01);
  });

  it('gives the mean of its channels', async () => {
    const interleaved = Float32Array.from({ length: 3200 }, (_, index) => (index % 2 === 0 ? 0.5 : -0.25));
    const mono = writeWav(interleaved, { format: 3, bits: 32, sampleRateHz: 16_000 });
    new DataView(mono.buffer, mono.byteOffset).setUint16(22, 2, true);
    new DataView(mono.buffer, mono.byteOffset).setUint16(32, 8, true);
    const { samples } = await readAll(mono);
    expect([...new Set(samples)]).toEqual([0.125]);
  });

  it('leaves out what no recording has in it', async () => {
    const wav = writeWav(Float32Array.of(0.5, Number.NaN, Infinity, -1e30, 0.25), { format: 3, bits: 32 });
    const { samples } = await readAll(wav);
    expect([...samples]).toEqual([0.5, 0, 0, 0, 0.25]);
  });
});

describe('a file without loss', () => {
  it.each([
    ['stereo.flac', 'flac'],
    ['mono-24-bit.flac', 'flac'],
    ['flac.ogg', 'ogg'],
    ['flac.mka', 'webm'],
    ['flac.mp4', 'mp4'],
    ['pcm.mov', 'mp4'],
  ])('%s is the original', async (name, format) => {
    const decoded = await readAll({ path: mediaPath(name) });
    expect(decoded.format).toBe(format);
    expect(decoded.samples.length).toBe(original.length);
    expect(correlation(original, decoded.samples)).toBeGreaterThan(0.9999);
  });
});

describe('a file with loss', () => {
  /** By how many samples the file's encoder is late without saying so. */
  it.each([
    ['stereo.mp3', 'mp3', 0],
    ['mono-22050.mp3', 'mp3', 0],
    ['variable.mp3', 'mp3', 0],
    ['layer-2.mp2', 'mp3', 175],
    ['mp3.mka', 'webm', 0],
    ['mp3.mp4', 'mp4', 0],
    ['vorbis.ogg', 'ogg', 0],
    ['vorbis.webm', 'webm', 0],
    ['opus.ogg', 'ogg', 0],
    ['mono-opus.ogg', 'ogg', 0],
    ['opus.webm', 'webm', 0],
    ['live-with-video.mkv', 'webm', 0],
    ['opus.mp4', 'mp4', 0],
    ['aac.m4a', 'mp4', 0],
    ['aac-with-video.mp4', 'mp4', 0],
    ['fragmented-aac.mp4', 'mp4', 0],
    ['aac.mov', 'mp4', 0],
    ['aac.mka', 'webm', 0],
    ['aac.aac', 'aac', 372],
  ])('%s is in step with the original, and like the reference decoder', async (name, format, lag) => {
    const decoded = await readAll({ path: mediaPath(name) });
    expect(decoded.format).toBe(format);
    expect(Math.abs(delay(original, decoded.samples) - lag)).toBeLessThan(maxDelay);
    const isExact = lag === 0 && name !== 'aac.mka';
    expect(decoded.samples.length - original.length).toBeGreaterThanOrEqual(isExact ? -1 : 0);
    expect(decoded.samples.length - original.length).toBeLessThan(isExact ? 2 : longestFrame);

    const reference = Float32Array.from((golden as Record<string, number[]>)[name]!);
    const probes = Float32Array.from(reference, (_, index) => decoded.samples[97 * index] ?? 0);
    expect(correlation(reference, probes)).toBeGreaterThan(0.999);
    expect(Math.abs(1 - loudness(probes) / loudness(reference))).toBeLessThan(0.02);
  });
});

it('reads bytes as it reads files', async () => {
  const path = mediaPath('stereo.mp3');
  expect((await readAll(await readFile(path))).samples).toEqual((await readAll({ path })).samples);
});

it.each(['vorbis.ogg', 'opus.ogg', 'stereo.mp3'])('plays both of two %s in one file', async (name) => {
  const file = await readFile(mediaPath(name));
  const { samples } = await readAll(Buffer.concat([file, file]));
  // Only the first of two MP3 files tells what its encoder added.
  const extra = name === 'stereo.mp3' ? 3 * longestFrame : 1;
  expect(samples.length - 2 * original.length).toBeGreaterThanOrEqual(-1);
  expect(samples.length - 2 * original.length).toBeLessThanOrEqual(extra);
  const second = samples.subarray(original.length);
  expect(correlation(original, samples)).toBeGreaterThan(0.99);
  expect(correlation(original, second, delay(original, second, 2 * longestFrame))).toBeGreaterThan(0.9);
});

it('skips ID3 tags of both versions', async () => {
  const flac = await readFile(mediaPath('stereo.flac'));
  const head = Buffer.alloc(10 + 300_000);
  head.set(Buffer.from('ID3\x04\0\0'));
  head.set([300_000 >> 21, (300_000 >> 14) & 127, (300_000 >> 7) & 127, 300_000 & 127], 6);
  const tail = Buffer.alloc(128);
  tail.write('TAG');
  const { samples } = await readAll(Buffer.concat([head, flac, tail]));
  expect(samples.length).toBe(original.length);
  expect(correlation(original, samples)).toBeGreaterThan(0.9999);
});

function loudness(samples: Float32Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length);
}
