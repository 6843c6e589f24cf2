import type { FlacInfo } from '../../../core/audio/containers/flac.ts';
import { missingPackage, type PacketDecoder, quietly } from './packet-decoder.ts';

export async function createFlacDecoder({ header }: FlacInfo): Promise<PacketDecoder> {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac').catch(
    missingPackage('FLAC audio', '@wasm-audio-decoders/flac'),
  );
  const decoder = new FLACDecoder();
  await decoder.ready;
  const decode: PacketDecoder['decode'] = async (packet) => {
    const decoded = await quietly(() => decoder.decodeFrames([packet]))?.catch(() => undefined);
    return decoded && { sampleRateHz: decoded.sampleRate, channels: decoded.channelData };
  };
  // Frames may leave to it what doesn't change from one to the next.
  await decode(header);
  return { decode, free: () => quietly(() => decoder.free()) };
}
