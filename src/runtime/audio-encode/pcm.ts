import type { AudioEncoder } from './contract.ts';

const fullScale = 32_767;

/** Signed 16-bit samples, little-endian, without a header. */
export const pcmEncoder: AudioEncoder = {
  format: 'pcm',
  mediaType: 'audio/pcm',
  async *encode(pieces) {
    for await (const samples of pieces) yield toPcmBytes(samples);
  },
};

/**
 * Turns samples into signed 16-bit ones; what is louder than full scale is cut off.
 * @param samples from −1 to 1
 */
export function toPcm(samples: Float32Array): Int16Array {
  return Int16Array.from(samples, (sample) => Math.round(Math.max(-1, Math.min(1, sample)) * fullScale));
}

/** The samples of {@link toPcm} as little-endian bytes, whatever the machine's own order. */
export function toPcmBytes(samples: Float32Array): Uint8Array {
  const pcm = toPcm(samples);
  const bytes = new Uint8Array(pcm.length * 2);
  const view = new DataView(bytes.buffer);
  for (const [at, sample] of pcm.entries()) view.setInt16(at * 2, sample, true);
  return bytes;
}
