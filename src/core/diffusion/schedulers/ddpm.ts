import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { alphaAt, readTrained } from './denoised.ts';
import { defineScheduler, drawNoise, type Scheduler } from './scheduler.ts';

/** `fixed_large_log` is missing: the reference takes the root of the logarithm, which is NaN. */
const varianceTypes = ['fixed_small', 'fixed_small_log', 'fixed_large'] as const;
/** The reference takes the logarithm of the variance, with this minimum. */
const minVariance = 1e-20;

/** Denoising diffusion probabilistic models, with fresh noise at every step. Ho et al. 2020, algorithm 2. */
export function createDdpm(config: ConfigReader, steps: number): Scheduler {
  const isLarge = config.choice('variance_type', varianceTypes, 'fixed_small') === 'fixed_large';
  const { alphas, timesteps, denoisedInto } = readTrained(config, steps);
  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, denoised }, noise) {
      const product = alphaAt(alphas, timesteps[step]!);
      const next = step + 1 < timesteps.length ? alphaAt(alphas, timesteps[step + 1]!) : 1;
      const [beta, left] = [1 - product / next, 1 - product];
      const kept = (Math.sqrt(1 - beta) * (1 - next)) / left;
      blendInto(sample, kept, sample, (Math.sqrt(next) * beta) / left, denoised);
      if (timesteps[step] === 0) return;
      const variance = isLarge ? beta : Math.max(((1 - next) / left) * beta, minVariance);
      blendInPlace(sample, 1, drawNoise(sample, noise), Math.sqrt(variance));
    },
  });
}
