import { assertArray, assertWithin, assertCount } from '../assert-values.ts';

/**
 * Classifier-free guidance: extrapolates from the prediction without the prompt towards the prediction with it. Ho and
 * Salimans 2022, equation 6 in its common form.
 *
 * @param prompted the prediction with the prompt; replaced by the result
 * @param unprompted the prediction without it, or with the negative prompt; of the same length
 * @param scale 1 leaves `prompted` unchanged
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

/** Multiplies the scale before the embedding. */
const scaleFactor = 1000;
const maxPeriod = 10_000;

/**
 * Embeds a guidance scale as the `timestep_cond` of a guidance-distilled model: sines, then cosines. Luo et al. 2023,
 * latent consistency models; Meng et al. 2023.
 *
 * @param guidanceScale as for classifier-free guidance, 1 for none
 * @param size length of the embedding, at least 4
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
    const frequency = Math.exp((-wave * Math.log(maxPeriod)) / (half - 1));
    const angle = (guidanceScale - 1) * scaleFactor * frequency;
    embedding[wave] = Math.sin(angle);
    embedding[half + wave] = Math.cos(angle);
  }
  return embedding;
}
