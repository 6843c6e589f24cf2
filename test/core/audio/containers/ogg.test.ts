import { expect, it } from 'vitest';
import { createOggReader, type OggPacket } from '../../../../src/core/audio/containers/ogg.ts';
import { performOn } from '../../../../src/core/audio/containers/reading.ts';
import { oggPage } from '../../../runtime/audio/write-ogg.ts';

const opus = Buffer.from('OpusHead and so on');
const packet = (length: number, byte: number): Uint8Array => new Uint8Array(length).fill(byte);

/** Codec and packets of every stream. */
function readStreams(bytes: Uint8Array): { readonly codec: string; readonly packets: OggPacket[] }[] {
  const reader = createOggReader();
  const streams = [];
  for (;;) {
    const stream = performOn(bytes, reader.openStream());
    if (stream === undefined) return streams;
    const packets: OggPacket[] = [];
    for (;;) {
      const next = performOn(bytes, reader.nextPacket());
      if (next === undefined) break;
      packets.push(next);
    }
    streams.push({ codec: stream.codec, packets });
  }
}

const shapes = (bytes: Uint8Array) =>
  readStreams(bytes).map(({ packets }) => packets.map(({ bytes: { length, 0: first } }) => [length, first]));

it('puts packets together over pages, with what the pages say about them', () => {
  const file = Buffer.concat([
    oggPage([opus], { isFirst: true }),
    oggPage([packet(3, 1), packet(510, 2)], { position: 10, isUnfinished: true }),
    oggPage([packet(4, 2), packet(255, 3)], { isContinued: true, position: 30 }),
    oggPage([packet(5, 4)], { position: 40, isLast: true }),
  ]);
  const [stream] = readStreams(file);
  expect(stream?.codec).toBe('opus');
  expect(
    stream?.packets.map(({ bytes, position, isLast }) => [bytes.length, bytes.at(-1), position, isLast]),
  ).toEqual([
    [3, 1, 10, false],
    [514, 2, undefined, false],
    [255, 3, 30, false],
    [5, 4, 40, true],
  ]);
});

it('leaves out other streams, and reads chained ones after each other', () => {
  const file = Buffer.concat([
    oggPage([Buffer.from('\x80theora')], { isFirst: true, serial: 7 }),
    oggPage([opus], { isFirst: true, serial: 1 }),
    oggPage([packet(9, 9)], { serial: 7 }),
    oggPage([packet(1, 1)], { serial: 1, isLast: true }),
    oggPage([Buffer.from('\x01vorbis')], { isFirst: true, serial: 2 }),
    oggPage([packet(2, 2)], { serial: 2 }),
  ]);
  expect(readStreams(file).map(({ codec }) => codec)).toEqual(['opus', 'vorbis']);
  expect(shapes(file)).toEqual([[[1, 1]], [[2, 2]]]);
});

it('skips a damaged page, and the rest of a packet that began on it', () => {
  const damaged = oggPage([packet(510, 2)], { isUnfinished: true });
  damaged[300]! ^= 1;
  const file = Buffer.concat([
    oggPage([opus], { isFirst: true }),
    oggPage([packet(1, 1)]),
    damaged,
    oggPage([packet(4, 2), packet(3, 3)], { isContinued: true }),
  ]);
  expect(shapes(file)).toEqual([
    [
      [1, 1],
      [3, 3],
    ],
  ]);
});

it('reads the whole packets of a page that the file ends within', () => {
  const page = oggPage([packet(10, 1), packet(10, 2), packet(10, 3)], { position: 30, isLast: true });
  const file = Buffer.concat([oggPage([opus], { isFirst: true }), page.subarray(0, page.length - 5)]);
  expect(shapes(file)).toEqual([
    [
      [10, 1],
      [10, 2],
    ],
  ]);
});

it('names what it cannot decode', () => {
  const open =
    (...pages: readonly Uint8Array[]) =>
    () =>
      performOn(Buffer.concat(pages), createOggReader().openStream());
  const first = (head: string, serial: number) =>
    oggPage([Buffer.from(head, 'latin1')], { isFirst: true, serial });
  expect(open(first('\x80theora', 1), first('Speex   ', 2))).toThrow(
    'an Ogg file with Theora video and Speex audio in it',
  );
  expect(open(Buffer.from('OggS'))).toThrow('a damaged Ogg file');
});
