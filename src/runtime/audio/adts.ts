import { type AdtsHeader, toAdtsHeader } from '../../core/audio/containers/adts.ts';
import { type LocatedFrame, readFrame } from '../../core/audio/containers/frame-sync.ts';
import { ContainerError } from '../../core/audio/containers/reading.ts';
import type { ByteSource } from './byte-source.ts';
import { createAacDecoder } from './codecs/aac.ts';
import { decodeWithFfmpeg } from './ffmpeg.ts';
import type { PcmBlock, PcmTrack, TrackOptions } from './pcm.ts';

/** Opens AAC in ADTS frames, the first of which is at `offset`. It doesn't say what the encoder added, so that stays. */
export async function openAdts(bytes: ByteSource, offset: number, options: TrackOptions): Promise<PcmTrack> {
  const first = await bytes.perform(readFrame(offset, { parse: toAdtsHeader }));
  if (first === undefined) throw new ContainerError('AAC audio that ends within its first frame');
  return { blocks: decode(bytes, first, options) };
}

async function* decode(
  bytes: ByteSource,
  first: LocatedFrame<AdtsHeader>,
  options: TrackOptions,
): AsyncGenerator<PcmBlock> {
  const { config, channels, sampleRateHz, stream } = first.header;
  const decoder = await createAacDecoder({ config, channels, sampleRateHz });
  if (decoder === undefined) {
    yield* decodeWithFfmpeg(bytes, { ...options, demuxer: 'aac', name: 'AAC audio' });
    return;
  }
  const search = { parse: toAdtsHeader, stream };
  try {
    let frame = await bytes.perform(readFrame(first.offset, search));
    while (frame !== undefined) {
      const block = await decoder.decode(frame.bytes.subarray(frame.header.headerLength));
      if (block !== undefined) yield block;
      frame = await bytes.perform(readFrame(frame.offset + frame.header.length, search));
    }
  } finally {
    decoder.free();
  }
}
