import { readFlacFrame, readFlacStart } from '../../core/audio/containers/flac.ts';
import { toLatin1 } from '../../core/audio/containers/reading.ts';
import type { ByteSource } from './byte-source.ts';
import { createFlacDecoder } from './codecs/flac.ts';
import type { PacketDecoder } from './codecs/packet-decoder.ts';
import type { PcmBlock, PcmTrack } from './pcm.ts';

/** Bytes of an ID3v1 tag, which some programs put at the end of any file. */
const tagBytes = 128;

/** Opens a FLAC file whose mark is at `offset`. */
export async function openFlac(bytes: ByteSource, offset: number): Promise<PcmTrack> {
  const { info, offset: start } = await bytes.perform(readFlacStart(offset));
  const tagAt = Math.max(0, bytes.size - tagBytes);
  const isTagged = toLatin1(await bytes.read(tagAt, 3)) === 'TAG';
  const end = isTagged ? tagAt : bytes.size;
  return {
    durationSeconds: info.samples === undefined ? undefined : info.samples / info.sampleRateHz,
    blocks: decode(bytes, start, end, () => createFlacDecoder(info)),
  };
}

async function* decode(
  bytes: ByteSource,
  start: number,
  end: number,
  createDecoder: () => Promise<PacketDecoder>,
): AsyncGenerator<PcmBlock> {
  const decoder = await createDecoder();
  try {
    let frame = await bytes.perform(readFlacFrame(start, end));
    while (frame !== undefined) {
      const block = await decoder.decode(frame.bytes);
      if (block !== undefined) yield block;
      frame = await bytes.perform(readFlacFrame(frame.offset + frame.bytes.length, end));
    }
  } finally {
    decoder.free();
  }
}
