import { createMp4Reader, type Mp4Reader } from '../../core/audio/containers/mp4.ts';
import type { Mp4Start } from '../../core/audio/containers/mp4-samples.ts';
import { toOpusHead } from '../../core/audio/containers/opus-head.ts';
import { ContainerError } from '../../core/audio/containers/reading.ts';
import type { ByteSource } from './byte-source.ts';
import { createDecoder } from './codecs/create-decoder.ts';
import type { PacketDecoder } from './codecs/wasm-decoders.ts';
import { decodeWithFfmpeg } from './ffmpeg.ts';
import { blockLength, type PcmBlock, type PcmTrack, sliceBlock, type TrackOptions } from './pcm.ts';
import { toSamples } from '../../core/audio/containers/pcm-samples.ts';

/** A header of a few bytes can claim billions of empty packets; this is the maximum to read. */
const maxSilentPackets = 1000;
/** Codecs decoded by ffmpeg, in addition to AAC without a different decoder. */
const ffmpegCodecs: ReadonlySet<string> = new Set(['ALAC', 'AC-3', 'E-AC-3']);

export async function openMp4(bytes: ByteSource, options: TrackOptions): Promise<PcmTrack> {
  const reader = createMp4Reader();
  const start = await bytes.perform(reader.open());
  const { codec, durationSeconds } = start;
  if (codec.kind === 'other' && !ffmpegCodecs.has(codec.name))
    throw new ContainerError(`an MP4 with ${codec.name} audio`);
  return { durationSeconds, blocks: decode() };

  async function* decode(): AsyncGenerator<PcmBlock> {
    const decoder = await openDecoder(start);
    if (decoder === undefined) {
      const name = `${start.codec.kind === 'other' ? start.codec.name : 'AAC'} audio in an MP4 file`;
      yield* decodeWithFfmpeg(bytes, { ...options, demuxer: 'mov', name });
      return;
    }
    const startSeconds = start.startSeconds === 0 ? delaySeconds(start) : start.startSeconds;
    let decoded = 0;
    let silent = 0;
    try {
      for await (const { packet, isLast } of readPackets(bytes, reader)) {
        const block = await decoder.decode(packet.bytes);
        if (block === undefined || blockLength(block) === 0) {
          if (++silent > maxSilentPackets) throw new ContainerError('an MP4 whose audio is damaged');
          continue;
        }
        silent = 0;
        const toSampleCount = (seconds: number) => Math.round(seconds * block.sampleRateHz);
        // The last packet may be only partly audible.
        const length =
          isLast && packet.durationSeconds > 0 ? toSampleCount(packet.durationSeconds) : Infinity;
        const end = Math.min(length, toSampleCount(start.endSeconds) - decoded);
        yield sliceBlock(block, toSampleCount(startSeconds) - decoded, end);
        decoded += blockLength(block);
      }
    } finally {
      decoder.free();
    }
  }
}

async function openDecoder({ codec, channels, sampleRateHz }: Mp4Start): Promise<PacketDecoder | undefined> {
  if (codec.kind === 'pcm')
    return {
      decode: (packet) => ({ sampleRateHz, channels: toSamples(packet, codec.format) }),
      free: () => {},
    };
  return codec.kind === 'compressed' ? createDecoder({ ...codec, channels, sampleRateHz }) : undefined;
}

/** The codec's delay, for files without an edit list. */
function delaySeconds({ codec }: Mp4Start): number {
  const isOpus = codec.kind === 'compressed' && codec.codec === 'opus';
  return isOpus ? toOpusHead(codec.description).preSkip / 48_000 : 0;
}

async function* readPackets(bytes: ByteSource, reader: Mp4Reader) {
  let packet = await bytes.perform(reader.nextPacket());
  while (packet !== undefined) {
    const next = await bytes.perform(reader.nextPacket());
    yield { packet, isLast: next === undefined };
    packet = next;
  }
}
