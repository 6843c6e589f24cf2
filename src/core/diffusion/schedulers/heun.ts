import { latentBetaRange } from './betas.ts';
import { blendInPlace, blendInto, clampInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { defineSigmaScheduler, readSigmas } from './noise-levels.ts';
import type { Scheduler } from './scheduler.ts';

/**
 * Heun's method on the noise level σ: Euler's step, then the step again with the mean of the directions at both ends.
 * The last step is Euler's, for `2 · steps − 1` evaluations. Karras et al. 2022, algorithm 1.
 */
export function createHeun(config: ConfigReader, steps: number): Scheduler {
  const clip = config.flag('clip_sample', false) ? config.number('clip_sample_range', 1) : undefined;
  const levels = readSigmas(config, steps, { betaRange: latentBetaRange });
  const { sigmas, timesteps } = levels;
  const sigmaOf = (step: number): number => sigmas[Math.ceil(step / 2)]!;
  let start: Float32Array;
  let direction: Float32Array;
  return defineSigmaScheduler(levels, {
    timesteps: timesteps.flatMap((timestep, index) => (index === 0 ? [timestep] : [timestep, timestep])),
    sigmaOf,
    move(step, { sample, denoised }) {
      const sigma = sigmaOf(step);
      if (clip !== undefined) clampInPlace(denoised, clip);
      if (step % 2 === 0) {
        start = sample.slice();
        direction = sample.slice();
        blendInPlace(direction, 1 / sigma, denoised, -1 / sigma);
        blendInPlace(sample, 1, direction, sigmas[step / 2 + 1]! - sigma);
      } else {
        blendInPlace(direction, 0.5, sample, 0.5 / sigma);
        blendInPlace(direction, 1, denoised, -0.5 / sigma);
        blendInto(sample, 1, start, sigma - sigmas[(step - 1) / 2]!, direction);
      }
    },
  });
}
