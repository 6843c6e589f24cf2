import { readFile } from 'node:fs/promises';

/** The folder of a Whisper with random weights: windows of 4 s, the bytes as vocabulary. */
export const miniWhisper = new URL('golden/mini-whisper', import.meta.url).pathname;

export const melBins = 80;
export const windowFrames = 400;

/** What transformers' Whisper makes of `featuresOf(kind)`. */
export interface Decoding {
  readonly kind: number;
  readonly prefix: readonly number[];
  readonly detected: number;
  readonly tokens: readonly number[];
  readonly averageLogprob: number;
  readonly noSpeech: number;
  readonly lastLogits: readonly number[];
}

export async function readDecodings(): Promise<readonly Decoding[]> {
  const text = await readFile(new URL('golden/mini-whisper.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { decodings: Decoding[] }).decodings;
}

/** The spectrograms that the golden file was made with. */
export function featuresOf(kind: number): Float32Array {
  const features = new Float32Array(melBins * windowFrames);
  for (let mel = 0; mel < melBins; mel++) {
    for (let frame = 0; frame < windowFrames; frame++) {
      features[mel * windowFrames + frame] =
        Math.sin(0.13 * mel * (kind + 1)) * Math.cos(0.021 * frame * (kind + 2)) +
        0.5 * Math.sin(0.0007 * (kind + 3) * mel * frame);
    }
  }
  return features;
}
