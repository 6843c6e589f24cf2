/** Mark at the end of a piece of text → pause after it, in seconds. */
const rests: Readonly<Record<string, number>> = {
  '.': 0.3,
  '!': 0.3,
  '?': 0.3,
  '…': 0.45,
  ';': 0.2,
  ':': 0.2,
  '—': 0.2,
  ',': 0.12,
};

/**
 * Tells how long to rest after a piece of text, by the mark that ends it; closing quotes and parentheses don't count.
 * @returns seconds at normal speed; 0 where a piece ends within a clause
 */
export function restAfter(phonemes: string): number {
  const mark = phonemes.replace(/["”)\s]+$/u, '').at(-1) ?? '';
  return rests[mark] ?? 0;
}

export interface SpokenBounds {
  /** Samples at most this loud are silence; 1 is full scale. */
  readonly threshold: number;
  /** Samples of silence that are kept at each end. */
  readonly margin: number;
}

/**
 * Leaves off the silence at both ends of a recording.
 * @returns a view of `samples`; empty where all is silence
 */
export function trimSilence(samples: Float32Array, { threshold, margin }: SpokenBounds): Float32Array {
  let start = 0;
  while (start < samples.length && !isLoud(samples[start]!, threshold)) start += 1;
  if (start === samples.length) return samples.subarray(0, 0);
  let end = samples.length;
  while (!isLoud(samples[end - 1]!, threshold)) end -= 1;
  return samples.subarray(Math.max(0, start - margin), Math.min(samples.length, end + margin));
}

/**
 * Fades both ends of a recording from and to zero, so that it can be joined to anything without a click. Changes `samples`.
 * @param length samples of each fade; less where the recording is shorter than two
 */
export function fadeEdgesInPlace(samples: Float32Array, length: number): Float32Array {
  const last = samples.length - 1;
  const steps = Math.min(length, samples.length >> 1);
  for (let step = 0; step < steps; step++) {
    // Half a period of a cosine has no corner at either end.
    const gain = (1 - Math.cos((Math.PI * step) / steps)) / 2;
    samples[step]! *= gain;
    samples[last - step]! *= gain;
  }
  return samples;
}

/** Not a number is no sound. */
function isLoud(sample: number, threshold: number): boolean {
  return Math.abs(sample) > threshold;
}
