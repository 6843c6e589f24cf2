import { distilledAlphas } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { noiseInto, readLevels } from './denoised.ts';
import { defineScheduler, drawNoise, type Scheduler } from './scheduler.ts';
import { readDistilledTimesteps } from './timesteps.ts';

/** How far fresh noise leads back on the way to the next timestep, as the paper recommends. */
const stochasticity = 0.3;

/**
 * Trajectory consistency distillation: every step jumps below the next noise level and back up to it with noise. Zheng
 * et al. 2024, algorithm 4 with γ = 0.3.
 */
export function createTcd(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['thresholding', 'clip_sample']);
  const alphas = distilledAlphas(config);
  const timesteps = readDistilledTimesteps(config, alphas.length, steps);
  const { levelAt, denoisedInto } = readLevels(config, { alphas, timesteps });
  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, output, denoised }, noise) {
      noiseInto(output, sample, output, levelAt(timesteps[step]!));
      const next = timesteps[step + 1] ?? 0;
      const below = alphas[Math.floor((1 - stochasticity) * next)]!;
      blendInto(sample, Math.sqrt(below), denoised, Math.sqrt(1 - below), output);
      if (step === timesteps.length - 1) return;
      const kept = alphas[next]! / below;
      blendInPlace(sample, Math.sqrt(kept), drawNoise(sample, noise), Math.sqrt(1 - kept));
    },
  });
}
