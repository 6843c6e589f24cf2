import { createWaveform } from '../backends/transformers/waveform.ts';

/** The recording of `generate/nemo.py`: a tone over noise, so that every band has power. */
export function recordingOf(seconds: number): Float32Array {
  return createWaveform(seconds).map((tone, at) => {
    const noise = ((at * at * 7919 + at * 104_729) % 1009) / 1009 - 0.5;
    return Math.round((tone + 0.1 * noise) * 1e4) / 1e4;
  });
}
