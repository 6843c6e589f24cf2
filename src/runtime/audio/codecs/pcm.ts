import { type PcmFormat, toSamples } from '../../../core/audio/containers/pcm-samples.ts';
import type { PacketDecoder } from './packet-decoder.ts';

/** Reads packets of samples that aren't compressed. */
export function createPcmDecoder(format: PcmFormat, sampleRateHz: number): PacketDecoder {
  return {
    decode: (packet) => ({ sampleRateHz, channels: toSamples(packet, format) }),
    free: () => {},
  };
}
