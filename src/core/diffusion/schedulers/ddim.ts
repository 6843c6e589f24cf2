import { cumulativeAlphas } from './betas.ts';
import { blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { denoisedInto, levelOf, noiseInto } from './denoised.ts';
import { readLimit } from './limit.ts';
import { createBuffers, defineScheduler, predictionTypes, type Scheduler } from './scheduler.ts';
import { readTimesteps } from './timesteps.ts';

/** Denoising diffusion implicit models without noise (η = 0). Song et al. 2020, equation 12. */
export function createDdim(config: ConfigReader, steps: number): Scheduler {
  const type = config.choice('prediction_type', predictionTypes, 'epsilon');
  const alphas = cumulativeAlphas(config, { keepFinite: false });
  if (steps > alphas.length) throw new RangeError(`steps: expected at most ${alphas.length}, got ${steps}`);
  const limit = readLimit(config, true);
  const finalAlpha = config.flag('set_alpha_to_one', true) ? 1 : alphas[0]!;
  const stride = Math.floor(alphas.length / steps);
  const timesteps = readTimesteps(config, alphas.length, steps);
  const buffersOf = createBuffers('denoised');
  return defineScheduler({
    timesteps,
    step(step, sample, output) {
      const { denoised } = buffersOf(sample.length);
      const timestep = timesteps[step]!;
      const product = alphaAt(alphas, timestep);
      const next = timestep - stride >= 0 ? alphaAt(alphas, timestep - stride) : finalAlpha;
      const level = levelOf(product, type);
      denoisedInto(denoised, sample, output, level);
      noiseInto(output, sample, output, level);
      limit?.(denoised);
      blendInto(sample, Math.sqrt(next), denoised, Math.sqrt(1 - next), output);
      return denoised;
    },
  });
}

/** @throws RangeError where an offset leads beyond the training's timesteps */
export function alphaAt(alphas: Float64Array, timestep: number): number {
  const alpha = alphas[timestep];
  if (alpha !== undefined) return alpha;
  throw new RangeError(
    `steps_offset: timestep ${timestep} is not among the ${alphas.length} of the training`,
  );
}
