import { blendInto } from './blend.ts';
import type { PredictionType } from './scheduler.ts';

interface Level {
  readonly type: PredictionType;
  readonly alpha: number;
  readonly sigma: number;
}

/** The level at which such a share of the image's power is left. */
export function levelOf(product: number, type: PredictionType): Level {
  return { type, alpha: Math.sqrt(product), sigma: Math.sqrt(1 - product) };
}

/**
 * The image that a model sees in a noisy sample, which is `alpha · image + sigma · noise` with `alpha² + sigma² = 1`.
 */
export function denoisedInto(
  out: Float32Array,
  sample: Float32Array,
  output: Float32Array,
  { type, alpha, sigma }: Level,
): void {
  if (type === 'epsilon') blendInto(out, 1 / alpha, sample, -sigma / alpha, output);
  else if (type === 'v_prediction') blendInto(out, alpha, sample, -sigma, output);
  else out.set(output);
}

/** The noise that a model sees in such a sample. */
export function noiseInto(
  out: Float32Array,
  sample: Float32Array,
  output: Float32Array,
  { type, alpha, sigma }: Level,
): void {
  if (type === 'epsilon') out.set(output);
  else if (type === 'v_prediction') blendInto(out, sigma, sample, alpha, output);
  else blendInto(out, 1 / sigma, sample, -alpha / sigma, output);
}
