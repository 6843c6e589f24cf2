import { createRng } from '../sampling/rng.ts';

/**
 * Creates a stream of normally distributed numbers, mean 0 and standard deviation 1, reproducible by seed. Box and
 * Muller 1958.
 *
 * @param seed an integer from 0 to 2⁵³ − 1
 * @throws RangeError for any other seed
 * @returns a function that fills a buffer with the next numbers
 *
 * @example
 * ```ts
 * const noise = createGaussianNoise(42);
 * const latents = new Float32Array(4 * 64 * 64);
 * noise(latents);
 * ```
 */
export function createGaussianNoise(seed: number): (out: Float32Array) => void {
  const random = createRng(seed);
  let spare = Number.NaN;
  return (out) => {
    if (out.length === 0) return;
    let index = 0;
    if (!Number.isNaN(spare)) out[index++] = spare;
    for (; index < out.length; index += 2) {
      // 1 − u is in (0, 1], so that its logarithm is finite.
      const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
      const angle = 2 * Math.PI * random.next();
      out[index] = radius * Math.cos(angle);
      spare = radius * Math.sin(angle);
      if (index + 1 < out.length) out[index + 1] = spare;
    }
    if (index === out.length) spare = Number.NaN;
  };
}
