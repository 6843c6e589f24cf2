import { writeWav } from '../../runtime/audio/write-wav.ts';

/** The recording of the generator: a rising tone that swells three times, mono, 16 kHz. */
export function createWaveform(seconds = 1): Float32Array {
  return Float32Array.from({ length: Math.round(16_000 * seconds) }, (_, at) => {
    const time = at / 16_000;
    const sample =
      (0.3 * Math.sin(2 * Math.PI * (200 + 300 * time) * time) * (1 + Math.sin(2 * Math.PI * 3 * time))) / 2;
    return Math.round(sample * 1e4) / 1e4;
  });
}

/** A WAV file of 32-bit floats. */
export function toWav(samples: Float32Array): Uint8Array {
  return writeWav(samples, { format: 3, bits: 32 });
}
