import { lagrangeBasis } from '../../math/numeric.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { denoisedAtSigmaInto, readSigmas } from './noise-levels.ts';
import { createBuffers, defineScheduler, predictionTypes, type Scheduler } from './scheduler.ts';

/** Directions that a step knows at most. */
const mostDirections = 4;

/**
 * Linear multistep method on the noise level σ: a polynomial through the last four directions is integrated over the step.
 * Adams and Bashforth's method for steps of different lengths.
 */
export function createLms(config: ConfigReader, steps: number): Scheduler {
  const type = config.choice('prediction_type', predictionTypes, 'epsilon');
  const { sigmas, timesteps, initialNoiseScale } = readSigmas(config, steps);
  /** Newest first. */
  let directions: Float32Array[] = [];
  const buffersOf = createBuffers('denoised');
  return defineScheduler({
    timesteps,
    initialNoiseScale,
    sigmaOf: (step) => sigmas[step]!,
    step(step, sample, output) {
      const { denoised } = buffersOf(sample.length);
      const sigma = sigmas[step]!;
      denoisedAtSigmaInto(denoised, sample, output, { type, sigma });
      blendInto(output, 1 / sigma, sample, -1 / sigma, denoised);
      directions = [output.slice(), ...directions].slice(0, mostDirections);
      const nodes = directions.map((_, age) => sigmas[step - age]! - sigma);
      for (const [age, polynomial] of lagrangeBasis(nodes).entries())
        blendInPlace(sample, 1, directions[age]!, integralTo(sigmas[step + 1]! - sigma, polynomial));
      return denoised;
    },
  });
}

/** Of a polynomial, from 0. */
function integralTo(end: number, polynomial: readonly number[]): number {
  return polynomial.reduce((sum, factor, power) => sum + (factor * end ** (power + 1)) / (power + 1), 0);
}
