import type { FlacInfo } from '../../../core/audio/containers/flac.ts';
import { missingPackage, type PacketDecoder, wasmDecoder } from './packet-decoder.ts';

export async function createFlacDecoder({ header }: FlacInfo): Promise<PacketDecoder> {
  const { FLACDecoder } = await import('@wasm-audio-decoders/flac').catch(
    missingPackage('FLAC audio', '@wasm-audio-decoders/flac'),
  );
  const codec = new FLACDecoder();
  const decoder = await wasmDecoder(codec, (packet) => codec.decodeFrames([packet]));
  // Frames may omit the constants that the header defines.
  await decoder.decode(header);
  return decoder;
}
