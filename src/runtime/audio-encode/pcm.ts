import { fromSamples, toInt16 } from '../../core/audio/containers/wav-header.ts';
import { encoderOf } from './contract.ts';

/** Signed 16-bit samples, little-endian, without a header. */
export const pcmEncoder = encoderOf('pcm', async function* (pieces) {
  for await (const samples of pieces) yield toPcmBytes(samples);
});

/** Turns samples into signed 16-bit ones; what is louder than full scale is cut off. @param samples from −1 to 1 */
export function toPcm(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, toInt16);
}

/** The samples of {@link toPcm} as little-endian bytes, whatever the machine's own order. */
export function toPcmBytes(samples: Float32Array): Uint8Array {
  return fromSamples(samples, 's16');
}
