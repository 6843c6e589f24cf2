import { describe, expect, it } from 'vitest';
import { ebmlElements, toSigned, toVariableInteger } from '../../../../src/core/audio/containers/ebml.ts';
import { performOn } from '../../../../src/core/audio/containers/reading.ts';
import { createWebmReader, type WebmPacket } from '../../../../src/core/audio/containers/webm.ts';

/** An element; `length` is written instead of the true one, `unknown` as ones. */
function element(
  id: number,
  content: readonly number[],
  length: number | 'unknown' = content.length,
): number[] {
  const idBytes = id
    .toString(16)
    .match(/../g)!
    .map((byte) => Number.parseInt(byte, 16));
  const lengthBytes =
    length === 'unknown' ? [0x01, 255, 255, 255, 255, 255, 255, 255] : [0x40 | (length >> 8), length & 255];
  return [...idBytes, ...lengthBytes, ...content];
}

const text = (value: string): number[] => [...Buffer.from(value)];
const header = element(0x1a45dfa3, element(0x4282, text('webm')));

interface TrackOptions {
  readonly number?: number;
  readonly type?: number;
  readonly codec?: string;
  readonly more?: readonly number[];
}

function trackEntry({ number = 1, type = 2, codec = 'A_OPUS', more = [] }: TrackOptions = {}): number[] {
  return element(0xae, [
    ...element(0xd7, [number]),
    ...element(0x83, [type]),
    ...element(0x86, text(codec)),
    ...element(0x63a2, [7, 7]),
    ...more,
  ]);
}

function file(
  blocks: readonly number[],
  tracks = trackEntry(),
  clusterLength: number | 'unknown' = 'unknown',
): Uint8Array {
  const cluster = element(0x1f43b675, [...element(0xe7, [0]), ...blocks], clusterLength);
  return Uint8Array.from([
    ...header,
    ...element(0x18538067, [...element(0xec, [0, 0]), ...element(0x1654ae6b, tracks), ...cluster], 'unknown'),
  ]);
}

function simpleBlock(content: readonly number[], { track = 1, lacing = 0 } = {}): number[] {
  return element(0xa3, [0x80 | track, 0, 0, lacing << 1, ...content]);
}

function readPackets(bytes: Uint8Array): WebmPacket[] {
  const reader = createWebmReader();
  performOn(bytes, reader.open());
  const packets: WebmPacket[] = [];
  for (;;) {
    const next = performOn(bytes, reader.nextPackets());
    if (next === undefined) return packets;
    packets.push(...next);
  }
}

const contents = (packets: readonly WebmPacket[]) => packets.map(({ bytes }) => [...bytes]);

describe('createWebmReader', () => {
  it('reads the blocks of the audio track, over clusters of unknown length', () => {
    const blocks = [...simpleBlock([1, 2]), ...simpleBlock([9], { track: 2 }), ...simpleBlock([3])];
    const more = element(0x1f43b675, simpleBlock([4]), 'unknown');
    expect(contents(readPackets(file([...blocks, ...more])))).toEqual([[1, 2], [3], [4]]);
  });

  it.each([
    ['Xiph', 1, [2, 255, 1, 2, ...Array(256).fill(1), 2, 2, 3], [Array(256).fill(1), [2, 2], [3]]],
    [
      'fixed',
      2,
      [2, 1, 1, 2, 2, 3, 3],
      [
        [1, 1],
        [2, 2],
        [3, 3],
      ],
    ],
    ['EBML', 3, [2, 0x83, 0xbe, 1, 1, 1, 2, 2, 3], [[1, 1, 1], [2, 2], [3]]],
  ] as const)('takes packets in %s lacing apart', (_, lacing, content, expected) => {
    expect(contents(readPackets(file(simpleBlock(content, { lacing }))))).toEqual(expected);
  });

  it('reads what a block group says is padding', () => {
    const group = element(0xa0, [
      ...element(0xa1, [0x81, 0, 0, 0, 5]),
      ...element(0x75a2, [0x0f, 0x42, 0x40]),
    ]);
    expect(readPackets(file(group))).toEqual([{ bytes: Uint8Array.of(5), discardSeconds: 0.001 }]);
  });

  it('puts a header back that was stripped from every packet', () => {
    const settings = element(0x5034, [...element(0x4254, [3]), ...element(0x4255, [0xab, 0xcd])]);
    const tracks = trackEntry({ more: element(0x6d80, element(0x6240, settings)) });
    expect(contents(readPackets(file(simpleBlock([1]), tracks)))).toEqual([[0xab, 0xcd, 1]]);
  });

  it('goes on at the next cluster after what is damaged', () => {
    const damaged = [...simpleBlock([1]), 0, 0, 0, 0, 0, ...element(0x1f43b675, simpleBlock([2]))];
    expect(contents(readPackets(file(damaged)))).toEqual([[1], [2]]);
  });

  it('takes the first track of audio that can be decoded', () => {
    const tracks = [
      ...trackEntry({ number: 1, type: 1, codec: 'V_VP8' }),
      ...trackEntry({ number: 2, codec: 'A_AC3' }),
      ...trackEntry({ number: 3, codec: 'A_VORBIS', more: element(0x56aa, [0x0f, 0x42, 0x40]) }),
    ];
    const { track } = performOn(file([], tracks), createWebmReader().open());
    expect(track).toMatchObject({ number: 3, codec: 'vorbis', channels: 1, delaySeconds: 0.001 });
    expect([...track.codecPrivate]).toEqual([7, 7]);
  });

  it('names what it cannot decode', () => {
    const open = (tracks: readonly number[]) => () =>
      performOn(file([], [...tracks]), createWebmReader().open());
    expect(open(trackEntry({ codec: 'A_AC3' }))).toThrow('a WebM or Matroska file with AC-3 audio in it');
    expect(open(trackEntry({ type: 1 }))).toThrow('a WebM or Matroska file without audio');
    const encrypted = element(0x6d80, element(0x6240, element(0x5035, [])));
    expect(open(trackEntry({ more: encrypted }))).toThrow('encrypted or compressed audio');
    expect(() => performOn(Uint8Array.from(header), createWebmReader().open())).toThrow('without tracks');
  });
});

describe('EBML', () => {
  it.each([
    [[0x81], { value: 1, bytes: 1, isUnknown: false }],
    [[0x40, 0x80], { value: 128, bytes: 2, isUnknown: false }],
    [[0xff], { value: 127, bytes: 1, isUnknown: true }],
    [[0x01, 0, 0, 0, 0, 0, 1, 0], { value: 256, bytes: 8, isUnknown: false }],
    [[0x40], undefined],
    [[0x00, 1], undefined],
  ])('reads the variable integer %j', (bytes, expected) => {
    expect(toVariableInteger(Uint8Array.from(bytes))).toEqual(expected);
  });

  it('reads signed integers, and ends at an element that is cut off', () => {
    expect([toSigned(Uint8Array.of(0xff)), toSigned(Uint8Array.of(0x7f, 0xff))]).toEqual([-1, 32_767]);
    const bytes = Uint8Array.from([...element(0xd7, [1]), ...element(0x83, [1], 9)]);
    expect([...ebmlElements(bytes)].map(({ id }) => id)).toEqual([0xd7]);
  });
});
