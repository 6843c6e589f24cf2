import { type PacketDecoder, wasmDecoder } from './packet-decoder.ts';

/** Decodes MPEG audio, layers I to III, frame by frame. */
export async function createMp3Decoder(): Promise<PacketDecoder> {
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder({ enableGapless: false });
  return wasmDecoder(decoder, (packet) => decoder.decodeFrame(packet));
}
