import { toOpusHead } from '../../core/audio/containers/opus-head.ts';
import { createWebmReader } from '../../core/audio/containers/webm.ts';
import type { WebmTrack } from '../../core/audio/containers/webm-track.ts';
import type { ByteSource } from './byte-source.ts';
import { createDecoder } from './codecs/create-decoder.ts';
import { decodeWithFfmpeg } from './ffmpeg.ts';
import { blockLength, type PcmBlock, type PcmTrack, sliceBlock, type TrackOptions } from './pcm.ts';

/** Opens a WebM or Matroska file with its first element at `offset`. */
export async function openWebm(bytes: ByteSource, offset: number, options: TrackOptions): Promise<PcmTrack> {
  const reader = createWebmReader(offset);
  const { track, durationSeconds } = await bytes.perform(reader.open());
  return { durationSeconds, blocks: decode() };

  async function* decode(): AsyncGenerator<PcmBlock> {
    const decoder = await createDecoder({ ...track, description: track.codecPrivate });
    if (decoder === undefined) {
      const name = 'AAC audio in a Matroska file';
      yield* decodeWithFfmpeg(bytes, { ...options, demuxer: 'matroska', name });
      return;
    }
    const skipSeconds = toDelaySeconds(track);
    let decoded = 0;
    try {
      let packets = await bytes.perform(reader.nextPackets());
      while (packets !== undefined) {
        for (const { bytes: packet, discardSeconds } of packets) {
          const block = await decoder.decode(packet);
          if (block === undefined) continue;
          const skip = Math.round(skipSeconds * block.sampleRateHz) - decoded;
          const end = blockLength(block) - Math.round(discardSeconds * block.sampleRateHz);
          yield sliceBlock(block, skip, end);
          decoded += blockLength(block);
        }
        packets = await bytes.perform(reader.nextPackets());
      }
    } finally {
      decoder.free();
    }
  }
}

function toDelaySeconds({ codec, codecPrivate, delaySeconds = 0 }: WebmTrack): number {
  // The first packet of Vorbis decodes to nothing, which is the delay meant here.
  if (codec === 'vorbis') return 0;
  // In older Opus files, only the codec defines the delay.
  return codec === 'opus' && delaySeconds === 0 ? toOpusHead(codecPrivate).preSkip / 48_000 : delaySeconds;
}
