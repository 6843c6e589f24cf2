import { distilledAlphas } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { denoisedInto, levelOf } from './denoised.ts';
import { readLimit } from './limit.ts';
import { createBuffers, defineScheduler, predictionTypes, type Scheduler } from './scheduler.ts';
import { readDistilledTimesteps } from './timesteps.ts';

/** Standard deviation of the data, as consistency models are trained. */
const dataDeviation = 0.5;

/** Latent consistency models: every step jumps to the image and back to a lower noise level. Luo et al. 2023, algorithm 3. */
export function createLcm(config: ConfigReader, steps: number): Scheduler {
  const type = config.choice('prediction_type', predictionTypes, 'epsilon');
  const alphas = distilledAlphas(config);
  const scaling = config.number('timestep_scaling', 10);
  const limit = readLimit(config, false);
  const timesteps = readDistilledTimesteps(config, alphas.length, steps);
  const buffersOf = createBuffers('denoised', 'fresh');
  return defineScheduler({
    timesteps,
    step(step, sample, output, noise) {
      const { denoised, fresh } = buffersOf(sample.length);
      const timestep = timesteps[step]!;
      denoisedInto(denoised, sample, output, levelOf(alphas[timestep]!, type));
      limit?.(denoised);
      const time = timestep * scaling;
      const square = time ** 2 + dataDeviation ** 2;
      blendInto(denoised, time / Math.sqrt(square), denoised, dataDeviation ** 2 / square, sample);
      sample.set(denoised);
      if (step < steps - 1) {
        const next = alphas[timesteps[step + 1]!]!;
        noise(fresh);
        blendInPlace(sample, Math.sqrt(next), fresh, Math.sqrt(1 - next));
      }
      return denoised;
    },
  });
}
