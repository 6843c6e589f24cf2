import type { FlacInfo } from '../../../core/audio/containers/flac.ts';
import { missingPackage, type PacketDecoder, wasmDecoder } from './packet-decoder.ts';

export async function createFlacDecoder({ header }: FlacInfo): Promise<PacketDecoder> {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac').catch(
    missingPackage('FLAC audio', '@wasm-audio-decoders/flac'),
  );
  const codec = new FLACDecoder();
  const decoder = await wasmDecoder(codec, (packet) => codec.decodeFrames([packet]));
  // Frames may leave to it what doesn't change from one to the next.
  await decoder.decode(header);
  return decoder;
}
