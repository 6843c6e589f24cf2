import { quantile } from '../../math/numeric.ts';
import { clampInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';

/** Limits the values of a denoised image in place. */
export type Limit = (denoised: Float32Array) => void;

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
