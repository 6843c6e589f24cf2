import { describe, expect, it } from 'vitest';
import { hasPromisedChannels, toAacConfig } from '../../../../src/core/audio/containers/aac.ts';
import { toAdtsHeader } from '../../../../src/core/audio/containers/adts.ts';
import { crc16, crc32, crc8 } from '../../../../src/core/audio/containers/ogg-stream.ts';
import { readFlacFrame, readFlacStart } from '../../../../src/core/audio/containers/flac.ts';
import { findFrame, readFrame } from '../../../../src/core/audio/containers/frame-sync.ts';
import { toGaplessRange } from '../../../../src/core/audio/containers/gapless.ts';
import { toMpegHeader } from '../../../../src/core/audio/containers/mpeg-audio.ts';
import { toOpusHead } from '../../../../src/core/audio/containers/opus-head.ts';
import { performOn } from '../../../../src/core/audio/containers/reading.ts';
import { toVorbisHeaders } from '../../../../src/core/audio/containers/vorbis-headers.ts';
import { silentFlac, silentMp3 } from '../../../runtime/audio/silence.ts';

describe('MPEG audio', () => {
  it.each([
    ['MPEG-1 layer III, 128 kbit/s, 44.1 kHz', [0xff, 0xfb, 0x90, 0x00], 417, 1152, 44_100, 2],
    ['the same, padded', [0xff, 0xfb, 0x92, 0x00], 418, 1152, 44_100, 2],
    ['MPEG-2 layer III, 64 kbit/s, 22.05 kHz, mono', [0xff, 0xf3, 0x80, 0xc0], 208, 576, 22_050, 1],
    ['MPEG-2.5 layer III, 8 kbit/s, 8 kHz', [0xff, 0xe3, 0x18, 0xc0], 72, 576, 8000, 1],
    ['MPEG-1 layer II, 192 kbit/s, 48 kHz', [0xff, 0xfd, 0xa4, 0x00], 576, 1152, 48_000, 2],
    ['MPEG-1 layer I, 384 kbit/s, 32 kHz, padded', [0xff, 0xff, 0xca, 0x00], 580, 384, 32_000, 2],
  ] as const)('reads the header of %s', (_, bytes, length, samples, sampleRateHz, channels) => {
    expect(toMpegHeader(Uint8Array.from(bytes))).toMatchObject({ length, samples, sampleRateHz, channels });
  });

  it.each([
    ['no sync', [0xff, 0xdb, 0x90, 0x00]],
    ['a reserved version', [0xff, 0xeb, 0x90, 0x00]],
    ['a reserved layer', [0xff, 0xf9, 0x90, 0x00]],
    ['a free bit rate', [0xff, 0xfb, 0x00, 0x00]],
    ['a reserved bit rate', [0xff, 0xfb, 0xf0, 0x00]],
    ['a reserved sample rate', [0xff, 0xfb, 0x9c, 0x00]],
    ['a reserved emphasis', [0xff, 0xfb, 0x90, 0x02]],
    ['its end missing', [0xff, 0xfb, 0x90]],
  ])('reads no header with %s', (_, bytes) => {
    expect(toMpegHeader(Uint8Array.from(bytes))).toBeUndefined();
  });

  it('finds frames after other content, but no single one that is not followed', () => {
    const frames = silentMp3(1);
    const search = { parse: toMpegHeader };
    const junk = new Uint8Array(50_000).fill(0xff);
    expect(performOn(Buffer.concat([junk, frames]), findFrame(0, search))?.offset).toBe(junk.length);
    expect(
      performOn(Buffer.concat([junk, frames]), findFrame(0, { ...search, before: 40_000 })),
    ).toBeUndefined();
    expect(performOn(Buffer.concat([frames.subarray(0, 36), junk]), findFrame(0, search))).toBeUndefined();
    expect(performOn(frames.subarray(0, 36), findFrame(0, search))?.offset).toBe(0);
    expect(performOn(frames.subarray(0, 36), readFrame(1, search))).toBeUndefined();
  });

  it('takes up a stream again after a gap, and leaves out frames of others', () => {
    const other = Uint8Array.from([0xff, 0xfb, 0x90, 0x00, ...new Uint8Array(413)]);
    const file = Buffer.concat([silentMp3(1), new Uint8Array(100), other, other, other, silentMp3(1)]);
    const first = performOn(file, readFrame(0, { parse: toMpegHeader }));
    const gap = silentMp3(1).length;
    const next = performOn(file, readFrame(gap, { parse: toMpegHeader, stream: first!.header.stream }));
    expect(next?.offset).toBe(gap + 100 + 3 * 417);
  });

  it('reads what an encoder added', () => {
    const header = toMpegHeader(Uint8Array.of(0xff, 0xfb, 0x90, 0x00))!;
    const frame = new Uint8Array(header.length);
    expect(toGaplessRange(frame, header)).toBeUndefined();
    frame.set([...Buffer.from('Xing'), 0, 0, 0, 1, 0, 0, 0, 100], 36);
    expect(toGaplessRange(frame, header)).toEqual({ start: 0, end: 115_200 });
    frame.set([...Buffer.from('LAME3.100'), ...new Uint8Array(12), 0x24, 0x03, 0xe8], 48);
    expect(toGaplessRange(frame, header)).toEqual({ start: 576 + 529, end: 115_200 - 1000 + 529 });
    frame.fill(0).set(Buffer.from('VBRI'), 36);
    expect(toGaplessRange(frame, header)).toEqual({ start: 0, end: Infinity });
  });
});

describe('AAC', () => {
  it('reads an ADTS header', () => {
    expect(toAdtsHeader(Uint8Array.of(0xff, 0xf1, 0x50, 0x80, 0x2e, 0x7f, 0xfc))).toEqual({
      length: 371,
      headerLength: 7,
      samples: 1024,
      sampleRateHz: 44_100,
      channels: 2,
      stream: 'profile 1 at 44100 Hz, channels 2',
      config: Uint8Array.of(0x12, 0x10),
    });
    expect(toAdtsHeader(Uint8Array.of(0xff, 0xfb, 0x50, 0x80, 0x2e, 0x7f, 0xfc))).toBeUndefined();
    expect(toAdtsHeader(Uint8Array.of(0xff, 0xf1, 0x50, 0x80, 0, 0xdf, 0xfc))).toBeUndefined();
  });

  it('reads an AudioSpecificConfig', () => {
    expect(toAacConfig(Uint8Array.of(0x12, 0x10))).toEqual({ objectType: 2, channelConfig: 2 });
    expect(toAacConfig(Uint8Array.of(0x2b, 0x8a, 0x08, 0))).toEqual({ objectType: 5, channelConfig: 1 });
    expect(toAacConfig(Uint8Array.of(0xf9, 0x46, 0x40))).toEqual({ objectType: 42, channelConfig: 2 });
    expect(() => toAacConfig(Uint8Array.of(0x12))).toThrow('AAC audio with a damaged header');
  });

  it('knows a packet with other channels than the header promised', () => {
    const [mono, stereo] = [1, 2].map((channelConfig) => ({ objectType: 2, channelConfig }));
    const [single, pair, end] = [0x00, 0x20, 0xe0].map((byte) => Uint8Array.of(byte, 0));
    expect(hasPromisedChannels(single!, mono!)).toBe(true);
    expect(hasPromisedChannels(pair!, mono!)).toBe(false);
    expect(hasPromisedChannels(pair!, stereo!)).toBe(true);
    expect(hasPromisedChannels(single!, stereo!)).toBe(false);
    expect(hasPromisedChannels(end!, stereo!)).toBe(false);
    expect(hasPromisedChannels(Uint8Array.of(0xff, 0xf1, 0x50), stereo!)).toBe(false);
    expect(hasPromisedChannels(new Uint8Array(), mono!)).toBe(false);
    // A filling of one byte, then a pair: 110 0001 xxxxxxxx 001.
    expect(hasPromisedChannels(Uint8Array.of(0b1100_0010, 0, 0b0010_0000), stereo!)).toBe(false);
    expect(hasPromisedChannels(Uint8Array.of(0b1100_0010, 0, 0b0100_0000), stereo!)).toBe(true);
    // Data of one byte, aligned, then a pair: 100 0000 1 00000001 | xxxxxxxx 001.
    expect(hasPromisedChannels(Uint8Array.of(0b1000_0001, 1, 0xff, 0b0010_0000), stereo!)).toBe(true);
  });
});

describe('FLAC', () => {
  const file = silentFlac(4);
  const { info, offset } = performOn(file, readFlacStart(0));
  const frames = (bytes: Uint8Array): number[] => {
    const lengths = [];
    for (let at = offset; ;) {
      const frame = performOn(bytes, readFlacFrame(at, bytes.length));
      if (frame === undefined) return lengths;
      lengths.push(frame.bytes.length);
      at = frame.offset + frame.bytes.length;
    }
  };

  it('reads the header and every frame', () => {
    expect(info).toMatchObject({ sampleRateHz: 16_000, channels: 1, samples: undefined });
    expect(offset).toBe(42);
    expect(frames(file)).toEqual([13, 13, 13, 13]);
  });

  it('finds the next frame after a damaged one, and after junk', () => {
    const damaged = Uint8Array.from(file);
    damaged[offset + 13 + 9]! ^= 1;
    expect(frames(damaged)).toEqual([13, 13, 13, 13]);
    const junk = new Uint8Array(40_000).fill(0xff);
    expect(frames(Buffer.concat([file.subarray(0, offset), junk, file.subarray(offset)]))).toEqual([
      13, 13, 13, 13,
    ]);
    expect(frames(file.subarray(0, offset + 22))).toEqual([13, 9]);
  });

  it('refuses a file that ends within its metadata', () => {
    const open = Uint8Array.from(file);
    open[4] = 0;
    expect(() => performOn(open.subarray(0, 42), readFlacStart(0))).toThrow('ends within its metadata');
    expect(() => performOn(open.subarray(0, 30), readFlacStart(0))).toThrow('without a STREAMINFO block');
  });
});

describe('headers of codecs', () => {
  const head = (...rest: readonly number[]) => Uint8Array.from([...Buffer.from('OpusHead'), 1, ...rest]);

  it('reads that of Opus', () => {
    expect(toOpusHead(head(2, 0x38, 1, 0, 0, 0, 0, 0, 6, 0))).toEqual({
      channels: 2,
      preSkip: 312,
      gain: 10 ** 0.3,
      streams: 1,
      coupledStreams: 1,
      mapping: [0, 1],
    });
    const surround = toOpusHead(head(3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 2, 1));
    expect(surround).toMatchObject({
      channels: 3,
      gain: 1,
      streams: 2,
      coupledStreams: 1,
      mapping: [0, 2, 1],
    });
    expect(() => toOpusHead(head(3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 1, 0, 2, 9))).toThrow('damaged header');
    expect(() => toOpusHead(head(3, 0, 0, 0, 0, 0, 0, 0, 0, 0))).toThrow('damaged header');
  });

  it('takes those of Vorbis apart', () => {
    const identification = [1, ...Buffer.from('vorbis'), 9];
    const setup = [5, ...Buffer.from('vorbis'), 8, 8];
    const laced = [2, identification.length, 255, 1, ...identification, ...new Uint8Array(256), ...setup];
    expect(toVorbisHeaders(Uint8Array.from(laced))).toEqual({
      identification: Uint8Array.from(identification),
      setup: Uint8Array.from(setup),
    });
    expect(() => toVorbisHeaders(Uint8Array.from(laced.slice(1)))).toThrow('damaged headers');
    expect(() => toVorbisHeaders(new Uint8Array())).toThrow('damaged headers');
  });
});

it('computes the check values of the CRC catalogue', () => {
  const check = Buffer.from('123456789');
  expect(crc8(check)).toBe(0xf4);
  expect(crc16(check)).toBe(0xfee8);
  expect(crc32(check)).toBe(0x89a1_897f);
  expect(crc16(check.subarray(4), crc16(check.subarray(0, 4)))).toBe(0xfee8);
});
