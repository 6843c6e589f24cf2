import { latentBetaRange } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { ancestralSigmas, denoisedAtSigmaInto, readSigmas } from './noise-levels.ts';
import { createBuffers, defineScheduler, type Scheduler } from './scheduler.ts';
import { timestepOf } from './sigmas.ts';

/**
 * DPM-Solver++ for the stochastic equation, of second order with a midpoint: each step asks the model at its start and at
 * the geometric mean of its ends, the last one at its start alone, so `2 · steps − 1` times. Lu et al. 2022; the noise of both
 * halves comes from one Brownian path.
 */
export function createDpmSde(config: ConfigReader, steps: number): Scheduler {
  const type = config.choice('prediction_type', ['epsilon', 'v_prediction'], 'epsilon');
  const levels = readSigmas(config, steps, { betaRange: latentBetaRange });
  const { sigmas, timesteps, initialNoiseScale, training } = levels;
  const middleOf = (index: number): number => Math.sqrt(sigmas[index]! * sigmas[index + 1]!);
  const sigmaOf = (step: number): number => (step % 2 === 0 ? sigmas[step / 2]! : middleOf((step - 1) / 2));

  const buffersOf = createBuffers('denoised', 'start', 'firstNoise', 'fresh');
  /** Moves a sample towards the image it shows, below the noise level `to`, and back up to it with noise. */
  const move = (sample: Float32Array, from: number, to: number, noise: Float32Array): void => {
    const { denoised } = buffersOf(sample.length);
    const { down, up } = ancestralSigmas(from, to);
    const kept = down / from;
    blendInPlace(sample, kept, denoised, 1 - kept);
    blendInPlace(sample, 1, noise, up);
  };

  return defineScheduler({
    timesteps: timesteps.flatMap((timestep, index) =>
      index === timesteps.length - 1 ? [timestep] : [timestep, timestepOf(middleOf(index), training)],
    ),
    initialNoiseScale,
    sigmaOf,
    step(step, sample, output, noise) {
      const { denoised, start, firstNoise, fresh } = buffersOf(sample.length);
      const index = Math.floor(step / 2);
      const from = sigmas[index]!;
      const to = sigmas[index + 1]!;
      const middle = middleOf(index);
      denoisedAtSigmaInto(denoised, sample, output, { type, sigma: sigmaOf(step) });
      if (to === 0) {
        sample.set(denoised);
      } else if (step % 2 === 0) {
        start.set(sample);
        noise(firstNoise);
        move(sample, from, middle, firstNoise);
      } else {
        noise(fresh);
        const whole = Math.sqrt(from - to);
        blendInto(fresh, Math.sqrt(from - middle) / whole, firstNoise, Math.sqrt(middle - to) / whole, fresh);
        sample.set(start);
        move(sample, from, to, fresh);
      }
      return denoised;
    },
  });
}
