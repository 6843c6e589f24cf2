import { blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { alphaAt, noiseInto, readTrained } from './denoised.ts';
import { defineScheduler, type Scheduler } from './scheduler.ts';

/** Denoising diffusion implicit models without noise (η = 0). Song et al. 2020, equation 12. */
export function createDdim(config: ConfigReader, steps: number): Scheduler {
  const { alphas, timesteps, levelAt, denoisedInto } = readTrained(config, steps);
  const finalAlpha = config.flag('set_alpha_to_one', true) ? 1 : alphas[0]!;
  const stride = Math.floor(alphas.length / steps);
  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, output, denoised }) {
      const timestep = timesteps[step]!;
      const next = timestep >= stride ? alphaAt(alphas, timestep - stride) : finalAlpha;
      noiseInto(output, sample, output, levelAt(timestep));
      blendInto(sample, Math.sqrt(next), denoised, Math.sqrt(1 - next), output);
    },
  });
}
