import { openAudio } from '../../../../src/runtime/audio/open-audio.ts';
import { writeWav } from '../../../runtime/audio/write-wav.ts';

export const sampleRateHz = 16_000;

/** A WAV file of 16 bits, mono. */
export function toWav(samples: Float32Array): Uint8Array {
  return writeWav(samples, { format: 1, bits: 16, sampleRateHz });
}

/** A gliding tone that comes and goes. */
export function glide(seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * sampleRateHz }, (_, index) => {
    const time = index / sampleRateHz;
    return 0.4 * Math.max(0, Math.sin(2 * time)) * Math.sin(900 * time + 300 * time * time);
  });
}

export function silence(seconds: number): Float32Array {
  return new Float32Array(Math.round(seconds * sampleRateHz));
}

/** Path of a sentence of `golden/speech`, said by espeak-ng. */
export function speechPath(name: string): string {
  return new URL(`golden/speech/${name}.wav`, import.meta.url).pathname;
}

export async function readSpeech(name: string): Promise<Float32Array> {
  const audio = await openAudio({ path: speechPath(name) }, { maxSeconds: 60 });
  const blocks: Float32Array[] = [];
  for await (const block of audio.blocks) blocks.push(block);
  return join(blocks);
}

/** One after the other. */
export function join(parts: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    joined.set(part, at);
    at += part.length;
  }
  return joined;
}
