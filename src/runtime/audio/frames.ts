import { toAdtsHeader } from '../../core/audio/containers/adts.ts';
import { readFlacFrame, readFlacStart } from '../../core/audio/containers/flac.ts';
import { readFrame } from '../../core/audio/containers/frame-sync.ts';
import { type GaplessRange, toGaplessRange } from '../../core/audio/containers/gapless.ts';
import { toMpegHeader } from '../../core/audio/containers/mpeg-audio.ts';
import { ContainerError, type Reading, toLatin1 } from '../../core/audio/containers/reading.ts';
import type { ByteSource } from './byte-source.ts';
import { createAacDecoder } from './codecs/aac.ts';
import { type PacketDecoder, createMp3Decoder, createFlacDecoder } from './codecs/wasm-decoders.ts';
import { decodeWithFfmpeg } from './ffmpeg.ts';
import { blockLength, type PcmBlock, type PcmTrack, sliceBlock, type TrackOptions } from './pcm.ts';

interface FrameStream<Frame> {
  readonly start: number;
  readonly read: (offset: number) => Reading<Frame | undefined>;
  /** Bytes of a frame's header; default 0. */
  readonly headerOf?: (frame: Frame) => number;
}

/** Decodes consecutive frames without a container. */
async function* decode<Frame extends { readonly bytes: Uint8Array; readonly offset: number }>(
  bytes: ByteSource,
  decoder: PacketDecoder,
  { start, read, headerOf = () => 0 }: FrameStream<Frame>,
): AsyncGenerator<PcmBlock> {
  try {
    let frame = await bytes.perform(read(start));
    while (frame !== undefined) {
      const block = await decoder.decode(frame.bytes.subarray(headerOf(frame)));
      if (block !== undefined) yield block;
      frame = await bytes.perform(read(frame.offset + frame.bytes.length));
    }
  } finally {
    decoder.free();
  }
}

/** Bytes of an ID3v1 tag, which some programs append to any file. */
const tagBytes = 128;

/** Opens a FLAC file with its marker at `offset`. */
export async function openFlac(bytes: ByteSource, offset: number): Promise<PcmTrack> {
  const { info, offset: start } = await bytes.perform(readFlacStart(offset));
  const tagAt = Math.max(0, bytes.size - tagBytes);
  const end = toLatin1(await bytes.read(tagAt, 3)) === 'TAG' ? tagAt : bytes.size;
  async function* blocks(): AsyncGenerator<PcmBlock> {
    const read = (at: number) => readFlacFrame(at, end);
    yield* decode(bytes, await createFlacDecoder(info), { start, read });
  }
  const { samples, sampleRateHz } = info;
  return { durationSeconds: samples === undefined ? undefined : samples / sampleRateHz, blocks: blocks() };
}

/** Encoders pad less; if more follows, a different file was appended. */
const maxPadding = 2 ** 12;

/** Opens MPEG audio, layers I to III, with its first frame at `offset`; encoder padding is removed. */
export async function openMp3(bytes: ByteSource, offset: number): Promise<PcmTrack> {
  const first = await bytes.perform(readFrame(offset, { parse: toMpegHeader }));
  if (first === undefined) throw new ContainerError('MP3 audio that ends within its first frame');
  const { sampleRateHz, stream, length } = first.header;
  const range = toGaplessRange(first.bytes, first.header);
  const start = range === undefined ? first.offset : first.offset + length;
  async function* frames(): AsyncGenerator<PcmBlock> {
    const read = (at: number) => readFrame(at, { parse: toMpegHeader, stream });
    yield* decode(bytes, await createMp3Decoder(), { start, read });
  }
  if (range === undefined) return { blocks: frames() };
  const durationSeconds = (range.end - range.start) / sampleRateHz;
  return {
    durationSeconds: Number.isFinite(durationSeconds) ? durationSeconds : undefined,
    blocks: trim(frames(), range),
  };
}

async function* trim(
  blocks: AsyncIterable<PcmBlock>,
  { start, end }: GaplessRange,
): AsyncGenerator<PcmBlock> {
  let position = 0;
  let padding: PcmBlock[] | undefined = [];
  for await (const block of blocks) {
    yield sliceBlock(block, start - position, padding === undefined ? Infinity : end - position);
    const rest = sliceBlock(block, end - position, Infinity);
    if (blockLength(rest) > 0) padding?.push(rest);
    position += blockLength(block);
    if (padding !== undefined && position > end + maxPadding) {
      yield* padding;
      padding = undefined;
    }
  }
}

/** Opens AAC in ADTS frames, with the first one at `offset`. ADTS doesn't specify the encoder's padding, so it stays. */
export async function openAdts(bytes: ByteSource, offset: number, options: TrackOptions): Promise<PcmTrack> {
  const first = await bytes.perform(readFrame(offset, { parse: toAdtsHeader }));
  if (first === undefined) throw new ContainerError('AAC audio that ends within its first frame');
  const { config: description, channels, sampleRateHz, stream } = first.header;
  const start = first.offset;
  return { blocks: blocks() };

  async function* blocks(): AsyncGenerator<PcmBlock> {
    const decoder = await createAacDecoder({ description, channels, sampleRateHz });
    if (decoder === undefined) {
      yield* decodeWithFfmpeg(bytes, { ...options, demuxer: 'aac', name: 'AAC audio' });
      return;
    }
    yield* decode(bytes, decoder, {
      start,
      read: (at) => readFrame(at, { parse: toAdtsHeader, stream }),
      headerOf: ({ header }) => header.headerLength,
    });
  }
}
