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
  let spare: number | undefined;
  const next = (): number => {
    if (spare !== undefined) {
      const value = spare;
      spare = undefined;
      return value;
    }
    // 1 − u is in (0, 1], so that its logarithm is finite.
    const radius = Math.sqrt(-2 * Math.log(1 - random.next()));
    const angle = 2 * Math.PI * random.next();
    spare = radius * Math.sin(angle);
    return radius * Math.cos(angle);
  };
  return (out) => {
    for (let index = 0; index < out.length; index++) out[index] = next();
  };
}
