import { fromSamples, toInt16 } from '../../core/audio/containers/wav-header.ts';
import { encoderOf } from './contract.ts';

/** Signed 16-bit samples, little-endian, without a header. */
export const pcmEncoder = encoderOf('pcm', async function* (pieces) {
  for await (const samples of pieces) yield toPcmBytes(samples);
});

/** Converts samples to signed 16 bits; values beyond full scale are clipped. @param samples from −1 to 1 */
export function toPcm(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, toInt16);
}

/** {@link toPcm} as little-endian bytes on any machine. */
export function toPcmBytes(samples: Float32Array): Uint8Array {
  return fromSamples(samples, 's16');
}
