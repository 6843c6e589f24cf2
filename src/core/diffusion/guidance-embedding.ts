import { assertCount, assertWithin } from '../assert-values.ts';
/** The scale is multiplied by this before it becomes waves. */
const scaleFactor = 1000;
const longestPeriod = 10_000;

/**
 * Turns a guidance scale into what a model that was distilled with it takes as `timestep_cond`: sines, then cosines.
 * Luo et al. 2023, latent consistency models; Meng et al. 2023.
 *
 * @param guidanceScale as for classifier-free guidance, 1 for none
 * @param size numbers of the embedding, at least 4
 *
 * @example
 * ```ts
 * guidanceEmbedding(7.5, 256).length; // 256
 * ```
 */
export function guidanceEmbedding(guidanceScale: number, size: number): Float32Array {
  assertWithin('guidanceScale', guidanceScale);
  assertCount('size', size, { min: 4 });
  const embedding = new Float32Array(size);
  const half = Math.floor(size / 2);
  for (let wave = 0; wave < half; wave++) {
    const frequency = Math.exp((-wave * Math.log(longestPeriod)) / (half - 1));
    const angle = (guidanceScale - 1) * scaleFactor * frequency;
    embedding[wave] = Math.sin(angle);
    embedding[half + wave] = Math.cos(angle);
  }
  return embedding;
}
