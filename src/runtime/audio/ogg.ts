import { toFlacInfo } from '../../core/audio/containers/flac.ts';
import { createOggReader, type OggPacket, type OggStream } from '../../core/audio/containers/ogg.ts';
import { toOpusHead } from '../../core/audio/containers/opus-head.ts';
import { ContainerError, toLatin1 } from '../../core/audio/containers/reading.ts';
import { isVorbisHeader } from '../../core/audio/containers/vorbis-headers.ts';
import type { ByteSource } from './byte-source.ts';
import {
  type PacketDecoder,
  createFlacDecoder,
  createVorbisDecoder,
  createOpusDecoder,
} from './codecs/wasm-decoders.ts';
import { blockLength, type PcmBlock, type PcmTrack, sliceBlock } from './pcm.ts';

/** Opens an Ogg file of Opus, Vorbis or FLAC; chained streams are concatenated. */
export async function openOgg(bytes: ByteSource, offset: number): Promise<PcmTrack> {
  const reader = createOggReader(offset);
  const first = await bytes.perform(reader.openStream());
  return { blocks: blocks() };

  async function* blocks(): AsyncGenerator<PcmBlock> {
    for (let stream = first; stream !== undefined; stream = await bytes.perform(reader.openStream()))
      yield* decodeStream(stream, () => bytes.perform(reader.nextPacket()));
  }
}

type NextPacket = () => Promise<OggPacket | undefined>;

async function* decodeStream(stream: OggStream, nextPacket: NextPacket): AsyncGenerator<PcmBlock> {
  const { decoder, preSkip, isHeader } = await openCodec[stream.codec](stream.head, nextPacket);
  /** Samples decoded so far, and the last position that the file specified. */
  let decoded = 0;
  let known = 0;
  let decodedAtKnown = 0;
  try {
    for (let packet = await nextPacket(); packet !== undefined; packet = await nextPacket()) {
      if (isHeader(packet.bytes)) continue;
      const block = await decoder.decode(packet.bytes);
      const before = decoded;
      if (block !== undefined) {
        decoded += blockLength(block);
        const end = packet.isLast
          ? decodedAtKnown + Math.max(0, (packet.position ?? Infinity) - known)
          : Infinity;
        yield sliceBlock(block, preSkip - before, end - before);
      }
      if (packet.position !== undefined) {
        known = packet.position;
        decodedAtKnown = decoded;
      }
    }
  } finally {
    decoder.free();
  }
}

interface OpenedCodec {
  readonly decoder: PacketDecoder;
  readonly preSkip: number;
  isHeader(packet: Uint8Array): boolean;
}

const openCodec: Readonly<
  Record<OggStream['codec'], (head: Uint8Array, nextPacket: NextPacket) => Promise<OpenedCodec>>
> = {
  async opus(head) {
    const decoder = await createOpusDecoder(head);
    const isHeader = (packet: Uint8Array) => toLatin1(packet.subarray(0, 8)) === 'OpusTags';
    return { decoder, preSkip: toOpusHead(head).preSkip, isHeader };
  },
  async vorbis(head, nextPacket) {
    let setup = await nextPacket();
    if (setup !== undefined && isVorbisHeader(setup.bytes, 3)) setup = await nextPacket();
    if (setup === undefined || !isVorbisHeader(setup.bytes, 5))
      throw new ContainerError('Vorbis audio with damaged headers');
    const decoder = await createVorbisDecoder({ identification: head, setup: setup.bytes });
    return { decoder, preSkip: 0, isHeader: (packet) => (packet[0]! & 1) === 1 };
  },
  async flac(head) {
    const decoder = await createFlacDecoder(toFlacInfo(head.subarray(9)));
    return { decoder, preSkip: 0, isHeader: (packet) => packet[0] !== 0xff };
  },
};
