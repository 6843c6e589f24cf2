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
 * The pause after a piece of text, by its final mark; closing quotes and parentheses are skipped.
 * @returns seconds at normal speed; 0 if the piece ends within a clause
 */
export function restAfter(phonemes: string): number {
  const mark = phonemes.replace(/["”)\s]+$/u, '').at(-1) ?? '';
  return rests[mark] ?? 0;
}

export interface SpokenBounds {
  /** Maximum absolute value of a silent sample; 1 is full scale. */
  readonly threshold: number;
  /** Samples of silence to keep at each end. */
  readonly margin: number;
}

/**
 * Trims the silence at both ends of a recording.
 * @returns a view of `samples`; empty if all samples are silent
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
 * Fades both ends of a recording from and to zero, so that recordings can be joined without a click. Changes `samples`.
 * @param length samples of each fade; less if the recording is shorter than two fades
 */
export function fadeEdgesInPlace(samples: Float32Array, length: number): Float32Array {
  const last = samples.length - 1;
  const steps = Math.min(length, samples.length >> 1);
  for (let step = 0; step < steps; step++) {
    // Half a cosine period has no corner at either end.
    const gain = (1 - Math.cos((Math.PI * step) / steps)) / 2;
    samples[step]! *= gain;
    samples[last - step]! *= gain;
  }
  return samples;
}

/** NaN counts as silence. */
function isLoud(sample: number, threshold: number): boolean {
  return Math.abs(sample) > threshold;
}
