import { blendInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { denoisedAtSigmaInto, readSigmas } from './noise-levels.ts';
import { createBuffers, defineScheduler, predictionTypes, type Scheduler } from './scheduler.ts';

/** Euler's method on the noise level σ, the sample being image + σ · noise. Karras et al. 2022, algorithm 2 without churn. */
export function createEuler(config: ConfigReader, steps: number): Scheduler {
  config.choice('interpolation_type', ['linear'], 'linear');
  const type = config.choice('prediction_type', predictionTypes, 'epsilon');
  const { sigmas, timesteps, initialNoiseScale } = readSigmas(config, steps);
  const buffersOf = createBuffers('denoised');
  return defineScheduler({
    timesteps,
    initialNoiseScale,
    sigmaOf: (step) => sigmas[step]!,
    step(step, sample, output) {
      const { denoised } = buffersOf(sample.length);
      const sigma = sigmas[step]!;
      denoisedAtSigmaInto(denoised, sample, output, { type, sigma });
      const move = (sigmas[step + 1]! - sigma) / sigma;
      blendInPlace(sample, 1 + move, denoised, -move);
      return denoised;
    },
  });
}
