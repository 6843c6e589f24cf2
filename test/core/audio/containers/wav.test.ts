import { describe, expect, it } from 'vitest';
import { expandALaw, expandMuLaw } from '../../../../src/core/audio/containers/pcm-samples.ts';
import { toSamples } from '../../../../src/core/audio/containers/pcm-samples.ts';
import { performOn } from '../../../../src/core/audio/containers/reading.ts';
import { readWavLayout } from '../../../../src/core/audio/containers/wav.ts';
import { riffChunk, writeWav } from '../../../runtime/audio/write-wav.ts';

const samples = new Float32Array(100);

describe('readWavLayout', () => {
  it('reads a plain header', () => {
    const wav = writeWav(samples, { format: 1, bits: 24, channels: 2, sampleRateHz: 44_100 });
    expect(performOn(wav, readWavLayout())).toMatchObject({
      blockBytes: 6,
      blockFrames: 1,
      sampleRateHz: 44_100,
      dataOffset: 44,
      dataLength: 600,
    });
  });

  it('reads the length of an RF64 file from its ds64 chunk', () => {
    const wav = writeWav(samples, { format: 1, bits: 16, length64: 2 ** 33 });
    expect(performOn(wav, readWavLayout())).toMatchObject({ dataOffset: 80, dataLength: 2 ** 33 });
  });

  it.each([0, 0xffff_ffff])('takes a length of %i for one that is not known yet', (dataLength) => {
    const wav = writeWav(samples, { format: 1, bits: 16, dataLength });
    expect(performOn(wav, readWavLayout()).dataLength).toBe(Infinity);
  });

  it('passes over other chunks, those of odd length with a byte more', () => {
    const chunks = [riffChunk('LIST', new Uint8Array(7)), riffChunk('fact', new Uint8Array(4))];
    const wav = writeWav(samples, { format: 1, bits: 16, chunks });
    expect(performOn(wav, readWavLayout()).dataOffset).toBe(44 + 16 + 12);
  });

  it('reads samples that fill only a part of their bytes', () => {
    const wav = writeWav(samples, { format: 1, bits: 16 });
    wav[34] = 12;
    expect(performOn(wav, readWavLayout()).blockBytes).toBe(2);
  });

  it('refuses what it cannot read, by name', () => {
    const read = (change: (wav: Uint8Array) => void) => () => {
      const wav = writeWav(samples, { format: 1, bits: 16, isExtensible: true });
      change(wav);
      return performOn(wav, readWavLayout());
    };
    expect(read((wav) => wav.set([2, 0], 20))).toThrow('a WAV file with Microsoft ADPCM in it');
    expect(read((wav) => wav.set([9], 50))).toThrow('a WAV file with samples of an unknown subformat');
    expect(read((wav) => wav.set([65], 22))).toThrow('a WAV file of 65 channels (1 to 64 are read)');
    expect(read((wav) => wav.set([12], 16))).toThrow('a WAV file whose format is cut off');
    expect(read((wav) => wav.set([0], 12))).toThrow('a WAV file without a format before its samples');
  });
});

describe('toSamples', () => {
  it.each([
    ['u8', [0, 128, 192], [-1, 0, 0.5]],
    ['s8', [0x80, 0, 0x40], [-1, 0, 0.5]],
    ['s16', [0, 0x80, 0, 0, 0, 0x40], [-1, 0, 0.5]],
    ['s24', [0, 0, 0x80, 0, 0, 0, 0, 0, 0x40], [-1, 0, 0.5]],
    ['s32', [0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0x40], [-1, 0, 0.5]],
    ['f32', [0, 0, 0x80, 0xbf, 0, 0, 0, 0, 0, 0, 0, 0x3f], [-1, 0, 0.5]],
    ['f64', [0, 0, 0, 0, 0, 0, 0xf0, 0xbf, 0, 0, 0, 0, 0, 0, 0xe0, 0x3f], [-1, 0.5]],
  ] as const)('reads %s, in both byte orders', (encoding, bytes, expected) => {
    const little = Uint8Array.from(bytes);
    expect([...toSamples(little, { encoding, channels: 1 })[0]!]).toEqual(expected);
    const width = bytes.length / expected.length;
    const big = little.map((_, index) => little[index - (index % width) + width - 1 - (index % width)]!);
    expect([...toSamples(big, { encoding, channels: 1, byteOrder: 'big' })[0]!]).toEqual(expected);
  });

  it('takes channels apart and leaves out half a frame', () => {
    expect(toSamples(Uint8Array.of(0, 128, 64, 192, 0), { encoding: 'u8', channels: 2 })).toEqual([
      Float32Array.of(-1, -0.5),
      Float32Array.of(0, 0.5),
    ]);
  });
});

describe('G.711', () => {
  /** Of ITU-T G.711, on its scales of 13 and 14 bits. */
  it.each([
    [0x80 ^ 0x55, 1],
    [0xff ^ 0x55, 4032],
    [0x7f ^ 0x55, -4032],
    [0x9f ^ 0x55, 63],
    [0xa0 ^ 0x55, 66],
  ])('expands the A-law code %i', (code, value) => {
    expect(expandALaw(code)).toBe(value / 4096);
  });

  it.each([
    [0xff, 0],
    [0x80, 8031],
    [0x00, -8031],
    [0xef, 33],
    [0xfe, 2],
  ])('expands the µ-law code %i', (code, value) => {
    expect(expandMuLaw(code)).toBe(value / 8192);
  });

  it('gives as many positive as negative values', () => {
    for (const expand of [expandALaw, expandMuLaw]) {
      const values = Array.from({ length: 256 }, (_, code) => expand(code));
      expect(values.reduce((sum, value) => sum + value, 0)).toBe(0);
      expect(values.filter((value) => value > 0).length).toBeGreaterThanOrEqual(127);
    }
  });
});
