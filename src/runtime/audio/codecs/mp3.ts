import { type PacketDecoder, quietly } from './packet-decoder.ts';

/** Decodes MPEG audio, layers I to III, frame by frame. */
export async function createMp3Decoder(): Promise<PacketDecoder> {
  const { MPEGDecoder } = await import('mpg123-decoder');
  const decoder = new MPEGDecoder({ enableGapless: false });
  await decoder.ready;
  return {
    decode(packet) {
      const decoded = quietly(() => decoder.decodeFrame(packet));
      return decoded && { sampleRateHz: decoded.sampleRate, channels: decoded.channelData };
    },
    free: () => quietly(() => decoder.free()),
  };
}
