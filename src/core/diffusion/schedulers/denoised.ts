import { cumulativeAlphas } from './betas.ts';
import { blendInto, clampInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { predictionTypes, type PredictionType } from './scheduler.ts';
import { readTimesteps } from './timesteps.ts';
import { quantile } from '../../math/numeric.ts';

/** Limits the values of a denoised image in place. */
type Limit = (denoised: Float32Array) => void;

/**
 * Dynamic thresholding, if enabled: a quantile of the absolute values becomes 1, and larger values are clipped. Saharia
 * et al. 2022, section 2.3.
 */
export function readThreshold(config: ConfigReader): Limit | undefined {
  if (!config.flag('thresholding', false)) return undefined;
  const share = config.number('dynamic_thresholding_ratio', 0.995);
  if (share < 0 || share > 1)
    throw new RangeError(`dynamic_thresholding_ratio: expected a number from 0 to 1, got ${share}`);
  const most = config.number('sample_max_value', 1);
  if (most <= 0) throw new RangeError(`sample_max_value: expected a number above 0, got ${most}`);
  return (denoised) => {
    const bound = Math.min(Math.max(quantile(denoised.map(Math.abs), share)!, 1), most);
    clampInPlace(denoised, bound);
    for (let index = 0; index < denoised.length; index++) denoised[index] = denoised[index]! / bound;
  };
}

/** {@link readThreshold}, or else the fixed range of `clip_sample`. */
export function readLimit(config: ConfigReader, clipsByDefault: boolean): Limit | undefined {
  const threshold = readThreshold(config);
  if (threshold || !config.flag('clip_sample', clipsByDefault)) return threshold;
  const range = config.number('clip_sample_range', 1);
  return (denoised) => clampInPlace(denoised, range);
}

interface Level {
  readonly type: PredictionType;
  readonly alpha: number;
  readonly sigma: number;
}

/** Timesteps of a generation, and the fraction of the image at each training timestep. */
interface Trained {
  readonly alphas: Float64Array;
  readonly timesteps: readonly number[];
}

/** Settings of schedulers whose steps are training timesteps, so that the training limits their number. */
export function readTrained(config: ConfigReader, steps: number) {
  const alphas = cumulativeAlphas(config, { keepFinite: false });
  if (steps > alphas.length) throw new RangeError(`steps: expected at most ${alphas.length}, got ${steps}`);
  const timesteps = readTimesteps(config, alphas.length, steps);
  const trained = { alphas, timesteps };
  return { ...trained, ...readLevels(config, trained, { limit: readLimit(config, true) }) };
}

/** The noise level of each timestep, and the predicted image. */
export function readLevels(
  config: ConfigReader,
  { alphas, timesteps }: Trained,
  { types = predictionTypes, limit }: { types?: readonly PredictionType[]; limit?: Limit | undefined } = {},
) {
  const type = config.choice('prediction_type', types, 'epsilon');
  const levelAt = (timestep: number): Level => {
    const product = alphaAt(alphas, timestep);
    return { type, alpha: Math.sqrt(product), sigma: Math.sqrt(1 - product) };
  };
  return {
    levelAt,
    denoisedInto(out: Float32Array, sample: Float32Array, output: Float32Array, step: number): void {
      denoisedInto(out, sample, output, levelAt(timesteps[step]!));
      limit?.(out);
    },
  };
}

/** @throws RangeError if an offset leads beyond the training's timesteps */
export function alphaAt(alphas: Float64Array, timestep: number): number {
  const alpha = alphas[timestep];
  if (alpha !== undefined) return alpha;
  throw new RangeError(
    `steps_offset: timestep ${timestep} is not among the ${alphas.length} of the training`,
  );
}

/** The predicted image, given a sample `alpha · image + sigma · noise` with `alpha² + sigma² = 1`. */
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

/** The predicted noise, given such a sample. */
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
