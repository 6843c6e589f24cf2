import type { OggVorbisDecoder } from '@wasm-audio-decoders/ogg-vorbis';
import type { VorbisHeaders } from '../../../core/audio/containers/vorbis-headers.ts';
import { missingPackage, type PacketDecoder, wasmDecoder } from './packet-decoder.ts';

type OggPages = Parameters<OggVorbisDecoder['decodeOggPages']>[0];

export async function createVorbisDecoder({ identification, setup }: VorbisHeaders): Promise<PacketDecoder> {
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis').catch(
    missingPackage('Vorbis audio', '@wasm-audio-decoders/ogg-vorbis'),
  );
  const decoder = new OggVorbisDecoder();
  // The decoder takes parsed pages; here each has one packet.
  const toPages = (packet: Uint8Array) =>
    [
      { data: identification, codecFrames: [{ data: packet, header: { vorbisSetup: setup } }] },
    ] as unknown as OggPages;
  return wasmDecoder(decoder, (packet) => decoder.decodeOggPages(toPages(packet)));
}
