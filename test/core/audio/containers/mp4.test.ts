import { describe, expect, it } from 'vitest';
import { createMp4Reader } from '../../../../src/core/audio/containers/mp4.ts';
import type { Mp4Packet, Mp4Start } from '../../../../src/core/audio/containers/mp4-samples.ts';
import { performOn } from '../../../../src/core/audio/containers/reading.ts';

const latin1 = (text: string): number[] => [...Buffer.from(text, 'latin1')];
const u16 = (...values: readonly number[]) => values.flatMap((value) => [(value >> 8) & 255, value & 255]);
const u32 = (...values: readonly number[]) => values.flatMap((value) => u16(value >>> 16, value & 0xffff));

function box(type: string, ...content: readonly (readonly number[])[]): number[] {
  const bytes = content.flat();
  return [...u32(bytes.length + 8), ...latin1(type), ...bytes];
}

/** A table after version, flags and its count. */
const table = (type: string, count: number, ...entries: readonly (readonly number[])[]) =>
  box(type, u32(0, count), ...entries);

/** An `esds` box with an AudioSpecificConfig. */
function esds(objectType: number, info: readonly number[]): number[] {
  const decoderInfo = [5, 0x80, 0x80, info.length, ...info];
  const decoderConfig = [4, 13 + decoderInfo.length, objectType, ...Array(12).fill(0), ...decoderInfo];
  return box('esds', u32(0), [3, 3 + decoderConfig.length, 0, 1, 0, ...decoderConfig]);
}

const aac = [0x12, 0x10];

interface EntryOptions {
  readonly version?: number;
  readonly bits?: number;
  readonly more?: readonly number[];
  readonly children?: readonly number[];
}

function sampleEntry(type: string, options: EntryOptions = {}): number[] {
  const { version = 0, bits = 16, more = [], children = [] } = options;
  const sound = [...u16(version, 0), ...u32(0), ...u16(2, bits, 0, 0), ...u32(44_100 * 2 ** 16)];
  return box(type, [0, 0, 0, 0, 0, 0, 0, 1], sound, more, children);
}

const aacEntry = sampleEntry('mp4a', { children: esds(0x40, aac) });

interface TrackOptions {
  readonly entry?: readonly number[];
  readonly handler?: string;
  readonly tables?: readonly number[];
  readonly edit?: readonly number[];
  readonly id?: number;
}

function trak({
  entry = aacEntry,
  handler = 'soun',
  tables = [],
  edit = [],
  id = 1,
}: TrackOptions = {}): number[] {
  const stbl = box('stbl', table('stsd', 1, entry), tables);
  const mdia = box(
    'mdia',
    box('mdhd', u32(0, 0, 0, 1000, 5000), u32(0)),
    box('hdlr', u32(0, 0), latin1(handler)),
    box('minf', stbl),
  );
  return box('trak', box('tkhd', u32(0, 0, 0, id, 0, 0)), edit, mdia);
}

function moov(...traks: readonly (readonly number[])[]): number[] {
  return box('moov', box('mvhd', u32(0, 0, 0, 600, 3000, 0)), ...traks);
}

/** The bytes 0, 1, 2, … at the beginning of the file, so that they show where a packet lies. */
const media = box(
  'mdat',
  Array.from({ length: 100 }, (_, index) => index + 8),
);

const file = (...boxes: readonly (readonly number[])[]): Uint8Array =>
  Uint8Array.from([...media, ...boxes.flat()]);

function read(bytes: Uint8Array, most = 100): { readonly start: Mp4Start; readonly packets: Mp4Packet[] } {
  const reader = createMp4Reader();
  const start = performOn(bytes, reader.open());
  const packets: Mp4Packet[] = [];
  while (packets.length < most) {
    const next = performOn(bytes, reader.nextPacket());
    if (next === undefined) break;
    packets.push(next);
  }
  return { start, packets };
}

/** Offset, length and duration of every packet. */
const places = (bytes: Uint8Array, most?: number) =>
  read(bytes, most).packets.map(({ bytes: { 0: at, length }, durationSeconds }) => [
    at,
    length,
    durationSeconds,
  ]);

const sizes = (...of: readonly number[]) => box('stsz', u32(0, 0, of.length, ...of));
const runs = (...of: readonly number[]) => table('stsc', of.length / 3, u32(...of));
const chunks = (...of: readonly number[]) => table('stco', of.length, u32(...of));
const times = (...of: readonly number[]) => table('stts', of.length / 2, u32(...of));

describe('createMp4Reader', () => {
  it('finds the samples of a table by chunks, runs, sizes and times', () => {
    const tables = [
      ...chunks(10, 40, 60),
      ...runs(1, 2, 1, 2, 1, 1),
      ...sizes(3, 4, 5, 6),
      ...times(3, 100, 1, 50),
    ];
    expect(places(file(moov(trak({ tables }))))).toEqual([
      [10, 3, 0.1],
      [13, 4, 0.1],
      [40, 5, 0.1],
      [60, 6, 0.05],
    ]);
  });

  it.each([
    ['of one size', box('stsz', u32(0, 4, 3)), [4, 4, 4]],
    ['in 4 bits', box('stz2', u32(0, 4, 3), [0x12, 0x30]), [1, 2, 3]],
    ['in 8 bits', box('stz2', u32(0, 8, 3), [1, 2, 3]), [1, 2, 3]],
    ['in 16 bits', box('stz2', u32(0, 16, 3), u16(1, 2, 3)), [1, 2, 3]],
  ])('reads sizes %s', (_, stsz, lengths) => {
    const tables = [...chunks(20), ...runs(1, 3, 1), ...stsz, ...times(3, 100)];
    expect(places(file(moov(trak({ tables })))).map(([, length]) => length)).toEqual(lengths);
  });

  it('reads chunk offsets of 64 bits', () => {
    const tables = [...table('co64', 1, u32(0, 30)), ...runs(1, 1, 1), ...sizes(2)];
    expect(places(file(moov(trak({ tables }))))).toEqual([[30, 2, 0]]);
  });

  it('reads PCM in pieces of chunks', () => {
    const tables = [...chunks(10, 30), ...runs(1, 3, 1), ...box('stsz', u32(0, 1, 6)), ...times(6, 1)];
    expect(places(file(moov(trak({ entry: sampleEntry('sowt'), tables }))))).toEqual([
      [10, 12, 0],
      [30, 12, 0],
    ]);
  });

  it('reads fragments, with their own sizes or those of the header', () => {
    const trex = box('trex', u32(0, 1, 1, 7, 5, 0));
    const header = [...moov(trak({ id: 1 })).slice(8), ...box('mvex', trex)];
    const fragment = (at: number, ...tracks: readonly (readonly number[])[]) =>
      box('moof', ...tracks.map((runsOf) => box('traf', box('tfhd', u32(0x2_0000, at)), runsOf)));
    const start = 108 + header.length + 8;
    // Offsets count from the fragment.
    const own = box('trun', u32(0x301, 2, 10 - start, 100, 3, 200, 4));
    const first = fragment(1, own, box('trun', u32(0, 1)));
    const other = fragment(2, box('trun', u32(1, 1, 0)));
    expect(places(file(box('moov', header), first, other))).toEqual([
      [10, 3, 0.1],
      [13, 4, 0.2],
      [17, 5, 0.007],
    ]);
    const defaults = fragment(1, box('trun', u32(0x1, 2, 50 - start)));
    expect(places(file(box('moov', header), defaults))).toEqual([
      [50, 5, 0.007],
      [55, 5, 0.007],
    ]);
  });

  it('reads what is to be heard from the edit list', () => {
    const edit = (...entries: readonly number[]) =>
      box('edts', table('elst', entries.length / 3, u32(...entries)));
    const timing = (of: readonly number[]) => {
      const { startSeconds, endSeconds, durationSeconds } = read(file(moov(trak({ edit: of })))).start;
      return [startSeconds, endSeconds, durationSeconds];
    };
    expect(timing([])).toEqual([0, Infinity, 5]);
    expect(timing(edit(1200, 500, 0x1_0000))).toEqual([0.5, 2.5, 2]);
    expect(timing(edit(0, 500, 0x1_0000))).toEqual([0.5, Infinity, 4.5]);
    expect(timing(edit(600, -1, 0x1_0000, 1200, 500, 0x1_0000))).toEqual([0.5, 2.5, 2]);
    expect(timing(edit(600, 0, 0x1_0000, 1200, 500, 0x1_0000))).toEqual([0, Infinity, 5]);
  });

  it('takes no time for numbers that the file only claims', () => {
    const billions = 0xffff_fff0;
    const claims = [
      table('stco', billions, u32(10)),
      table('stsc', billions, u32(1, billions, 1)),
      table('stts', billions, u32(billions, 1)),
    ];
    const claiming = (...stsz: readonly number[]) =>
      file(moov(trak({ tables: [...claims.flat(), ...stsz] })));
    expect(places(claiming(...box('stsz', u32(0, 0, billions, 3)))).length).toBeLessThan(30);
    expect(places(claiming(...box('stsz', u32(0, billions, billions))))).toEqual([]);
    expect(places(claiming(...box('stsz', u32(0, 1, billions))), 5).length).toBe(5);
    const fragments = box(
      'moof',
      box('traf', box('tfhd', u32(0x2_0010, 1, billions)), box('trun', u32(0, billions))),
    );
    expect(places(file(moov(trak()), fragments))).toEqual([]);
  });
});

describe('the codec of an MP4', () => {
  const codecOf = (entry: readonly number[]) => read(file(moov(trak({ entry })))).start.codec;
  const version1 = { version: 1, more: Array(16).fill(0) };

  it('is read from the elementary stream descriptor, in QuickTime from within `wave`', () => {
    const expected = { kind: 'compressed', codec: 'aac', description: Uint8Array.from(aac) };
    expect(codecOf(aacEntry)).toEqual(expected);
    expect(codecOf(sampleEntry('mp4a', { ...version1, children: box('wave', esds(0x40, aac)) }))).toEqual(
      expected,
    );
    expect(codecOf(sampleEntry('mp4a', { children: esds(0x6b, []) }))).toMatchObject({ codec: 'mp3' });
    expect(codecOf(sampleEntry('mp4a', { children: esds(0xa5, []) }))).toEqual({
      kind: 'other',
      name: 'AC-3',
    });
    expect(codecOf(sampleEntry('mp4a'))).toEqual({ kind: 'other', name: 'unknown (mp4a)' });
  });

  it('comes with the header that it has elsewhere', () => {
    const dOps = box('dOps', [0, 2, ...u16(312), ...u32(48_000), ...u16(0x100), 0]);
    expect(codecOf(sampleEntry('Opus', { children: dOps }))).toEqual({
      kind: 'compressed',
      codec: 'opus',
      description: Uint8Array.from([...latin1('OpusHead'), 1, 2, 0x38, 1, 0x80, 0xbb, 0, 0, 0, 1, 0]),
    });
    expect(codecOf(sampleEntry('fLaC', { children: box('dfLa', u32(0), [9, 9]) }))).toMatchObject({
      description: Uint8Array.from([...latin1('fLaC'), 9, 9]),
    });
  });

  it.each([
    ['sowt', { bits: 16 }, { encoding: 's16', byteOrder: 'little' }],
    ['twos', { bits: 8 }, { encoding: 's8', byteOrder: 'big' }],
    ['raw ', { bits: 8 }, { encoding: 'u8', byteOrder: 'big' }],
    ['in24', version1, { encoding: 's24', byteOrder: 'big' }],
    [
      'in24',
      { ...version1, children: box('wave', box('enda', u16(1))) },
      { encoding: 's24', byteOrder: 'little' },
    ],
    ['ulaw', {}, { encoding: 'mu-law', byteOrder: 'big' }],
    ['ipcm', { children: box('pcmC', u32(0), [1, 24]) }, { encoding: 's24', byteOrder: 'little' }],
    ['fpcm', { children: box('pcmC', u32(0), [0, 64]) }, { encoding: 'f64', byteOrder: 'big' }],
  ])('is PCM for %s', (type, options, format) => {
    expect(codecOf(sampleEntry(type, options))).toEqual({ kind: 'pcm', format: { ...format, channels: 2 } });
  });

  it('is read from version 2 of the sound description', () => {
    const rate = [...new Uint8Array(Float64Array.of(96_000).buffer)].toReversed();
    const more = [...u32(72), ...rate, ...u32(3, 0x7f00_0000, 32, 1 | 2, 12, 1)];
    const { codec, channels, sampleRateHz } = read(
      file(moov(trak({ entry: sampleEntry('lpcm', { version: 2, more }) }))),
    ).start;
    expect(codec).toEqual({ kind: 'pcm', format: { encoding: 'f32', channels: 3, byteOrder: 'big' } });
    expect([channels, sampleRateHz]).toEqual([3, 96_000]);
    const many = [...u32(72), ...rate, ...u32(4_000_000_000, 0x7f00_0000, 32, 1 | 2, 12, 1)];
    expect(() => codecOf(sampleEntry('lpcm', { version: 2, more: many }))).toThrow(
      'an MP4 of 4000000000 channels',
    );
  });

  it('is named where it is another one, and of a track of sound', () => {
    expect(codecOf(sampleEntry('alac'))).toEqual({ kind: 'other', name: 'ALAC' });
    expect(codecOf(sampleEntry('zz\x01z'))).toEqual({ kind: 'other', name: 'unknown (zz?z)' });
    const video = trak({ handler: 'vide' });
    expect(read(file(moov(video, trak({ id: 7 })))).start.codec.kind).toBe('compressed');
    expect(() => read(file(moov(video)))).toThrow('an MP4 without an audio track');
    expect(() => read(file(moov(trak({ entry: sampleEntry('enca') }))))).toThrow(
      'an MP4 with encrypted audio',
    );
    expect(() => read(file())).toThrow('an MP4 without its header, which may have been cut off');
  });
});
