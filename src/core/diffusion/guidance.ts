import { assertArray, assertWithin } from '../assert-values.ts';
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
