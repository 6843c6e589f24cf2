import { blendInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { ancestralSigmas, denoisedAtSigmaInto, readSigmas } from './noise-levels.ts';
import { createBuffers, defineScheduler, type Scheduler } from './scheduler.ts';

/** Euler's method towards a lower noise level, from where fresh noise leads back. */
export function createEulerAncestral(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['use_karras_sigmas', 'use_exponential_sigmas', 'use_beta_sigmas']);
  const type = config.choice('prediction_type', ['epsilon', 'v_prediction'], 'epsilon');
  const { sigmas, timesteps, initialNoiseScale } = readSigmas(config, steps);
  const buffersOf = createBuffers('denoised', 'fresh');
  return defineScheduler({
    timesteps,
    initialNoiseScale,
    sigmaOf: (step) => sigmas[step]!,
    step(step, sample, output, noise) {
      const { denoised, fresh } = buffersOf(sample.length);
      const from = sigmas[step]!;
      const to = sigmas[step + 1]!;
      denoisedAtSigmaInto(denoised, sample, output, { type, sigma: from });
      const { down, up } = ancestralSigmas(from, to);
      const move = (down - from) / from;
      blendInPlace(sample, 1 + move, denoised, -move);
      if (up > 0) {
        noise(fresh);
        blendInPlace(sample, 1, fresh, up);
      }
      return denoised;
    },
  });
}
