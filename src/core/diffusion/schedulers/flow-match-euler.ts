import { evenly } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { crowdingOf } from './noise-levels.ts';
import { defineScheduler, drawNoise, type Scheduler } from './scheduler.ts';

/**
 * Euler's method along the straight path from noise to image, for samples (1 − σ) · image + σ · noise and velocity
 * outputs. Esser et al. 2024.
 * @param imageTokens latent patches that the transformer reads; required by models that shift by size
 */
export function createFlowMatchEuler(
  config: ConfigReader,
  steps: number,
  imageTokens: number | undefined,
): Scheduler {
  config.refuse(['invert_sigmas']);
  const trainSteps = config.number('num_train_timesteps', 1000);
  const stochastic = config.flag('stochastic_sampling', false);
  const mu = config.flag('use_dynamic_shifting', false) ? shiftBySize(config, imageTokens) : undefined;
  const sigmas = [...readSigmas(config, steps, trainSteps, mu), 0];
  return defineScheduler({
    timesteps: sigmas.slice(0, -1).map((sigma) => sigma * trainSteps),
    denoisedInto: (out, sample, output, step) => blendInto(out, 1, sample, -sigmas[step]!, output),
    move(step, { sample, output, denoised }, noise) {
      const next = sigmas[step + 1]!;
      if (stochastic) blendInto(sample, 1 - next, denoised, next, drawNoise(sample, noise));
      else blendInPlace(sample, 1, output, next - sigmas[step]!);
    },
  });
}

/** @param mu shift by image size, if the model has one */
function readSigmas(config: ConfigReader, steps: number, trainSteps: number, mu?: number): number[] {
  const shift = config.number('shift', 1);
  const byShift = (sigma: number): number => (shift * sigma) / (1 + (shift - 1) * sigma);
  let sigmas: number[];
  if (mu !== undefined) {
    const exponential =
      config.choice('time_shift_type', ['exponential', 'linear'], 'exponential') === 'exponential';
    const factor = exponential ? Math.exp(mu) : mu;
    sigmas = evenly(1, 1 / steps, steps).map((sigma) => factor / (factor + (1 / sigma - 1)));
  } else {
    // The ends of the training's schedule are shifted, and the evenly spaced values between them shifted again, as
    // models expect.
    sigmas = evenly(byShift(1), byShift(1 / trainSteps), steps).map(byShift);
  }
  const terminal = config.number('shift_terminal', 0);
  // A single step only has a start, so there is nothing to stretch.
  if (terminal !== 0 && steps > 1) {
    const factor = (1 - sigmas.at(-1)!) / (1 - terminal);
    sigmas = sigmas.map((sigma) => 1 - (1 - sigma) / factor);
  }
  return crowdingOf(config)?.(sigmas[0]!, sigmas.at(-1)!, steps) ?? sigmas;
}

function shiftBySize(config: ConfigReader, imageTokens: number | undefined): number {
  if (imageTokens === undefined)
    throw new TypeError('imageTokens: expected the number of patches, since this scheduler shifts by size');
  const baseTokens = config.number('base_image_seq_len', 256);
  const maxTokens = config.number('max_image_seq_len', 4096);
  const base = config.number('base_shift', 0.5);
  const slope = (config.number('max_shift', 1.15) - base) / (maxTokens - baseTokens);
  return base + slope * (imageTokens - baseTokens);
}
