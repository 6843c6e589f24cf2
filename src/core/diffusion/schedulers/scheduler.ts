import type { ConfigReader } from './config.ts';

/** Fills a buffer with numbers of a standard normal distribution. */
export type NoiseSource = (out: Float32Array) => void;

/** Turns noise into a latent image, step by step, with the outputs of a diffusion model. It holds the state of one image. */
export interface Scheduler {
  /** Timesteps for the model, one for each step; their count can differ from the requested steps. */
  readonly timesteps: readonly number[];
  /** The first sample is noise times this. */
  readonly initialNoiseScale: number;
  /** Factor of the sample that the model gets at a step. */
  inputScale(step: number): number;
  /**
   * Takes a step; steps are taken in order, each once.
   *
   * @param sample the latents, replaced by those of the next step
   * @param output what the model predicted from them, of the same length; may be overwritten
   * @param noise asked by schedulers that add noise, once per step at most
   * @returns the latents without noise as they look by now, valid until the next step
   */
  step(step: number, sample: Float32Array, output: Float32Array, noise: NoiseSource): Float32Array;
}

/** The meaning of a model's outputs. */
export type PredictionType = 'epsilon' | 'v_prediction' | 'sample';

export const predictionTypes = ['epsilon', 'v_prediction', 'sample'] as const;

/** Makes a room of buffers by name, which is allocated anew where the length changes. */
export function createBuffers<Name extends string>(
  ...names: readonly Name[]
): (length: number) => Readonly<Record<Name, Float32Array>> {
  let buffers: Record<string, Float32Array> = {};
  let allocated = -1;
  return (length) => {
    if (length !== allocated)
      buffers = Object.fromEntries(names.map((name) => [name, new Float32Array(length)]));
    allocated = length;
    return buffers as Record<Name, Float32Array>;
  };
}

/** Sizes of samples: those of image + σ · noise are scaled for the model, others stay as they are. */
export function defineScheduler(
  scheduler: Pick<Scheduler, 'timesteps' | 'step'> & {
    readonly initialNoiseScale?: number;
    /** Standard deviation of the noise in the sample at a step. */
    readonly sigmaOf?: (step: number) => number;
  },
): Scheduler {
  const { sigmaOf, initialNoiseScale = 1, ...rest } = scheduler;
  const inputScale = (step: number): number => (sigmaOf ? 1 / Math.hypot(sigmaOf(step), 1) : 1);
  return { ...rest, initialNoiseScale, inputScale };
}

/** Replaces `target` by `scale · target + weight · other`. */
export function blendInPlace(target: Float32Array, scale: number, other: Float32Array, weight: number): void {
  for (let index = 0; index < target.length; index++)
    target[index] = scale * target[index]! + weight * other[index]!;
}

/** Writes `a · first + b · second`; `out` may be one of them. */
export function blendInto(
  out: Float32Array,
  a: number,
  first: Float32Array,
  b: number,
  second: Float32Array,
): void {
  for (let index = 0; index < out.length; index++) out[index] = a * first[index]! + b * second[index]!;
}

/** Limits every number to ±`bound`. */
export function clampInPlace(values: Float32Array, bound: number): void {
  for (let index = 0; index < values.length; index++)
    values[index] = Math.min(Math.max(values[index]!, -bound), bound);
}

/** Limits the numbers of a denoised image in place. */
export type Limit = (denoised: Float32Array) => void;

/**
 * Dynamic thresholding, if a config asks for it: a quantile of the absolute values becomes 1, and larger values are cut off.
 * Saharia et al. 2022, section 2.3.
 */
export function readThreshold(config: ConfigReader): Limit | undefined {
  if (!config.flag('thresholding', false)) return undefined;
  const share = config.number('dynamic_thresholding_ratio', 0.995);
  if (share < 0 || share > 1)
    throw new RangeError(`dynamic_thresholding_ratio: expected a number from 0 to 1, got ${share}`);
  const most = config.number('sample_max_value', 1);
  if (most <= 0) throw new RangeError(`sample_max_value: expected a number above 0, got ${most}`);
  return (denoised) => {
    const bound = Math.min(Math.max(quantile(denoised.map(Math.abs), share), 1), most);
    clampInPlace(denoised, bound);
    for (let index = 0; index < denoised.length; index++) denoised[index] = denoised[index]! / bound;
  };
}

/** As {@link readThreshold}, or else the fixed range that `clip_sample` asks for. */
export function readLimit(config: ConfigReader, clipsByDefault: boolean): Limit | undefined {
  const threshold = readThreshold(config);
  if (threshold || !config.flag('clip_sample', clipsByDefault)) return threshold;
  const range = config.number('clip_sample_range', 1);
  return (denoised) => clampInPlace(denoised, range);
}

/** Sorts the values. */
function quantile(values: Float32Array, share: number): number {
  values.sort();
  const place = share * (values.length - 1);
  const low = values[Math.floor(place)]!;
  return low + (values[Math.ceil(place)]! - low) * (place - Math.floor(place));
}
