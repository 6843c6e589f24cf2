import { assertArray, assertWithin, assertCount } from '../assert-values.ts';

/**
 * Classifier-free guidance: away from what the model predicts without the prompt, towards what it predicts with it.
 * Ho and Salimans 2022, equation 6 in the form that is common in practice.
 *
 * @param prompted the prediction with the prompt; replaced by the result
 * @param unprompted the prediction without it, or with the negative prompt; as long
 * @param scale 1 leaves `prompted` as it is
 *
 * @example
 * ```ts
 * const prompted = Float32Array.of(1, 2);
 * guideInPlace(prompted, Float32Array.of(0, 2), 7.5);
 * prompted; // [7.5, 2]
 * ```
 */
export function guideInPlace(prompted: Float32Array, unprompted: Float32Array, scale: number): void {
  assertArray('prompted', prompted, Float32Array);
  assertArray('unprompted', unprompted, Float32Array, { length: prompted.length });
  assertWithin('scale', scale);
  for (let index = 0; index < prompted.length; index++) {
    const base = unprompted[index]!;
    prompted[index] = base + scale * (prompted[index]! - base);
  }
}

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
