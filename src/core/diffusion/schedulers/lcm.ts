import { distilledAlphas } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { readLevels, readLimit } from './denoised.ts';
import { defineScheduler, drawNoise, type Scheduler } from './scheduler.ts';
import { readDistilledTimesteps } from './timesteps.ts';

/** Standard deviation of the data in the training of consistency models. */
const dataDeviation = 0.5;

/** Latent consistency models: every step jumps to the image and back to a lower noise level. Luo et al. 2023, algorithm 3. */
export function createLcm(config: ConfigReader, steps: number): Scheduler {
  const alphas = distilledAlphas(config);
  const scaling = config.number('timestep_scaling', 10);
  const timesteps = readDistilledTimesteps(config, alphas.length, steps);
  const { denoisedInto } = readLevels(config, { alphas, timesteps }, { limit: readLimit(config, false) });
  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, denoised }, noise) {
      const time = timesteps[step]! * scaling;
      const square = time ** 2 + dataDeviation ** 2;
      blendInto(denoised, time / Math.sqrt(square), denoised, dataDeviation ** 2 / square, sample);
      sample.set(denoised);
      if (step === steps - 1) return;
      const next = alphas[timesteps[step + 1]!]!;
      blendInPlace(sample, Math.sqrt(next), drawNoise(sample, noise), Math.sqrt(1 - next));
    },
  });
}
