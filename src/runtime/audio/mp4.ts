import type { EncodedPacket, InputAudioTrack } from 'mediabunny';
import { toOpusHead } from '../../core/audio/containers/opus-head.ts';
import type { PcmEncoding } from '../../core/audio/containers/pcm-samples.ts';
import { ContainerError } from '../../core/audio/containers/reading.ts';
import type { ByteSource } from './byte-source.ts';
import { type CodecParameters, createDecoder } from './codecs/create-decoder.ts';
import type { PacketDecoder } from './codecs/packet-decoder.ts';
import { createPcmDecoder } from './codecs/pcm.ts';
import { decodeWithFfmpeg } from './ffmpeg.ts';
import { blockLength, type PcmBlock, type PcmTrack, sliceBlock } from './pcm.ts';
import type { TrackOptions } from './track-options.ts';

/** Of the file, in bytes. */
const maxCacheSize = 2 ** 21;

/** A header of a few bytes can claim billions of empty packets; more of them than this are not waited for. */
const maxSilentPackets = 1000;

/** Opens an MP4 or QuickTime file. */
export async function openMp4(bytes: ByteSource, options: TrackOptions): Promise<PcmTrack> {
  const { CustomSource, Input, Logging, LogLevel, MP4, QTFF } = await import('mediabunny');
  Logging.level = LogLevel.Silent;
  const input = new Input({
    formats: [MP4, QTFF],
    source: new CustomSource({
      getSize: () => bytes.size,
      read: (start, end) => bytes.read(start, end - start),
      maxCacheSize,
      handleUnhandledError: () => {},
    }),
  });
  const track = await input.getPrimaryAudioTrack();
  if (track === null) throw new ContainerError('an MP4 without an audio track');
  const codec = await toCodec(track);
  const durationSeconds = (await track.getDurationFromMetadata()) ?? undefined;
  return { durationSeconds, blocks: decode(bytes, track, codec, options) };
}

interface Mp4Codec {
  /** What to call it in a message. */
  readonly name: string;
  /** `undefined` where nothing here decodes it. */
  readonly createDecoder: () => Promise<PacketDecoder | undefined>;
  /** To leave out at the beginning where the file doesn't say. */
  readonly delaySeconds: number;
}

async function toCodec(track: InputAudioTrack): Promise<Mp4Codec> {
  const [codec, id] = [await track.getCodec(), await track.getInternalCodecId()];
  const [channels, sampleRateHz] = [await track.getNumberOfChannels(), await track.getSampleRate()];
  const encoding = codec === null ? undefined : pcmEncodings[codec];
  if (encoding !== undefined) {
    const byteOrder = codec?.endsWith('be') ? 'big' : 'little';
    const createPcm = async () => createPcmDecoder({ encoding, channels, byteOrder }, sampleRateHz);
    return { name: 'PCM', createDecoder: createPcm, delaySeconds: 0 };
  }
  if (codec !== null && isDecodable(codec)) {
    const given = (await track.getDecoderConfig())?.description;
    const description = given === undefined ? new Uint8Array() : toBytes(given);
    return {
      name: codec === 'aac' ? 'AAC' : codec,
      createDecoder: () => createDecoder({ codec, description, channels, sampleRateHz }),
      delaySeconds: codec === 'opus' ? toOpusHead(description).preSkip / 48_000 : 0,
    };
  }
  const name = otherCodecs[codec ?? String(id)];
  if (name === undefined) throw new ContainerError('an MP4 with audio of an unknown codec');
  if (!ffmpegCodecs.has(name)) throw new ContainerError(`an MP4 with ${name} audio`);
  return { name, createDecoder: async () => undefined, delaySeconds: 0 };
}

const pcmEncodings: Readonly<Record<string, PcmEncoding>> = {
  'pcm-u8': 'u8',
  'pcm-s8': 's8',
  'pcm-s16': 's16',
  'pcm-s16be': 's16',
  'pcm-s24': 's24',
  'pcm-s24be': 's24',
  'pcm-s32': 's32',
  'pcm-s32be': 's32',
  'pcm-f32': 'f32',
  'pcm-f32be': 'f32',
  'pcm-f64': 'f64',
  'pcm-f64be': 'f64',
  alaw: 'a-law',
  ulaw: 'mu-law',
};

/** By mediabunny's name, or the code of the file where it has none. */
const otherCodecs: Readonly<Record<string, string>> = {
  alac: 'ALAC',
  ac3: 'AC-3',
  eac3: 'E-AC-3',
  dts: 'DTS',
  samr: 'AMR',
  sawb: 'AMR-WB',
  ima4: 'IMA ADPCM',
  enca: 'encrypted',
  drms: 'encrypted',
};

/** What is left to ffmpeg, besides AAC where no other decoder is there. */
const ffmpegCodecs: ReadonlySet<string> = new Set(['ALAC', 'AC-3', 'E-AC-3']);

function isDecodable(codec: string): codec is CodecParameters['codec'] {
  return ['opus', 'vorbis', 'flac', 'mp3', 'aac'].includes(codec);
}

async function* decode(
  bytes: ByteSource,
  track: InputAudioTrack,
  { name, createDecoder: create, delaySeconds }: Mp4Codec,
  options: TrackOptions,
): AsyncGenerator<PcmBlock> {
  const decoder = await create();
  if (decoder === undefined) {
    yield* decodeWithFfmpeg(bytes, { ...options, demuxer: 'mov', name: `${name} audio in an MP4 file` });
    return;
  }
  const { EncodedPacketSink } = await import('mediabunny');
  let decoded = 0;
  let silent = 0;
  let skipSeconds: number | undefined;
  try {
    for await (const { packet, isLast } of withLast(new EncodedPacketSink(track).packets())) {
      // Packets before the edit list's beginning have negative times.
      skipSeconds ??= packet.timestamp === 0 ? delaySeconds : Math.max(0, -packet.timestamp);
      const block = await decoder.decode(packet.data);
      if (block === undefined || blockLength(block) === 0) {
        if (++silent > maxSilentPackets) throw new ContainerError('an MP4 whose audio is damaged');
        continue;
      }
      silent = 0;
      const skip = Math.round(skipSeconds * block.sampleRateHz) - decoded;
      const end = isLast && packet.duration > 0 ? Math.round(packet.duration * block.sampleRateHz) : Infinity;
      yield sliceBlock(block, skip, end);
      decoded += blockLength(block);
    }
  } finally {
    decoder.free();
    track.input.dispose();
  }
}

async function* withLast(
  packets: AsyncIterable<EncodedPacket>,
): AsyncGenerator<{ readonly packet: EncodedPacket; readonly isLast: boolean }> {
  let before: EncodedPacket | undefined;
  for await (const packet of packets) {
    if (before !== undefined) yield { packet: before, isLast: false };
    before = packet;
  }
  if (before !== undefined) yield { packet: before, isLast: true };
}

function toBytes(source: ArrayBufferView | ArrayBufferLike): Uint8Array {
  return ArrayBuffer.isView(source)
    ? new Uint8Array(source.buffer, source.byteOffset, source.byteLength)
    : new Uint8Array(source);
}
