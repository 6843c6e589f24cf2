import { type FrameSearch, readFrame } from '../../core/audio/containers/frame-sync.ts';
import { type GaplessRange, toGaplessRange } from '../../core/audio/containers/gapless.ts';
import { type MpegHeader, toMpegHeader } from '../../core/audio/containers/mpeg-audio.ts';
import { ContainerError } from '../../core/audio/containers/reading.ts';
import type { ByteSource } from './byte-source.ts';
import { createMp3Decoder } from './codecs/mp3.ts';
import { blockLength, type PcmBlock, type PcmTrack, sliceBlock } from './pcm.ts';

/** Encoders pad by less; if more follows, another file was appended to the first. */
const maxPadding = 2 ** 12;

/** Opens MPEG audio, layers I to III, whose first frame is at `offset`; what its encoder added is left out. */
export async function openMp3(bytes: ByteSource, offset: number): Promise<PcmTrack> {
  const first = await bytes.perform(readFrame(offset, { parse: toMpegHeader }));
  if (first === undefined) throw new ContainerError('MP3 audio that ends within its first frame');
  const { sampleRateHz, stream, length } = first.header;
  const range = toGaplessRange(first.bytes, first.header);
  const start = range === undefined ? first.offset : first.offset + length;
  const frames = decode(bytes, start, { parse: toMpegHeader, stream });
  if (range === undefined) return { blocks: frames };
  const durationSeconds = (range.end - range.start) / sampleRateHz;
  return {
    durationSeconds: Number.isFinite(durationSeconds) ? durationSeconds : undefined,
    blocks: trim(frames, range),
  };
}

async function* decode(
  bytes: ByteSource,
  start: number,
  search: FrameSearch<MpegHeader>,
): AsyncGenerator<PcmBlock> {
  const decoder = await createMp3Decoder();
  try {
    let frame = await bytes.perform(readFrame(start, search));
    while (frame !== undefined) {
      const block = await decoder.decode(frame.bytes);
      if (block !== undefined) yield block;
      frame = await bytes.perform(readFrame(frame.offset + frame.header.length, search));
    }
  } finally {
    decoder.free();
  }
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
