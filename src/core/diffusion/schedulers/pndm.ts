import { cumulativeAlphas } from './betas.ts';
import { blendInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { alphaAt, noiseInto, readLevels } from './denoised.ts';
import { defineScheduler, type Scheduler } from './scheduler.ts';
import { readTimesteps } from './timesteps.ts';

/** Weights of the last outputs, newest first, by their number. Liu et al. 2022, equation 12 and its starts. */
const multistepWeights = [
  [1],
  [3 / 2, -1 / 2],
  [23 / 12, -16 / 12, 5 / 12],
  [55 / 24, -59 / 24, 37 / 24, -9 / 24],
] as const;

const rungeKuttaWeights = [1 / 6, 1 / 3, 1 / 3, 1 / 6] as const;

/** Pseudo numerical methods on manifolds: linear multistep, started by Runge-Kutta steps unless the config skips them. */
export function createPndm(config: ConfigReader, steps: number): Scheduler {
  const alphas = cumulativeAlphas(config, { keepFinite: false });
  const finalAlpha = config.flag('set_alpha_to_one', false) ? 1 : alphas[0]!;
  const stride = Math.floor(alphas.length / steps);
  const ascending = readTimesteps(config, alphas.length, steps).toReversed();
  const skips = config.flag('skip_prk_steps', false);
  if (!skips && steps < 4) {
    throw new RangeError(
      `steps: expected at least 4 for the Runge-Kutta steps of this scheduler, got ${steps}`,
    );
  }
  const half = Math.floor(stride / 2);
  const rungeKutta = skips ? [] : rungeKuttaTimesteps(ascending, half);
  const multistep = skips ? repeatSecond(ascending) : ascending.slice(0, -3).toReversed();
  const timesteps = [...rungeKutta, ...multistep];

  const types = ['epsilon', 'v_prediction'] as const;
  const { levelAt, denoisedInto } = readLevels(config, { alphas, timesteps }, { types });

  let outputs: Float32Array[] = [];
  let start: Float32Array;
  let sum: Float32Array;

  /**
   * Equation 9: moves a sample between two timesteps along `direction`, a prediction or a mix of several, which is
   * overwritten.
   */
  const moveTo = (sample: Float32Array, direction: Float32Array, from: number, to: number): void => {
    const product = alphaAt(alphas, from);
    const next = to >= 0 ? alphaAt(alphas, to) : finalAlpha;
    noiseInto(direction, sample, direction, levelAt(from));
    const divisor = product * Math.sqrt(1 - next) + Math.sqrt(product * (1 - product) * next);
    blendInPlace(sample, Math.sqrt(next / product), direction, -(next - product) / divisor);
  };

  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, output }) {
      if (step < rungeKutta.length) {
        // Four outputs make one step: each except the last leads to the next evaluation, always from the same start.
        const phase = step % 4;
        if (phase === 0) {
          outputs = [output.slice(), ...outputs];
          start = sample.slice();
          sum = new Float32Array(sample.length);
        }
        blendInPlace(sum, 1, output, rungeKuttaWeights[phase]!);
        sample.set(start);
        const to = rungeKutta[step]! - (phase % 2 === 0 ? half : 0);
        moveTo(sample, phase === 3 ? sum : output, rungeKutta[step - phase]!, to);
      } else if (skips && step === 1) {
        // Heun's method: the first step again, with the mean of the outputs at both ends.
        blendInPlace(output, 0.5, outputs[0]!, 0.5);
        sample.set(start);
        moveTo(sample, output, timesteps[1]! + stride, timesteps[1]!);
      } else {
        if (step === 0) start = sample.slice();
        outputs = [output.slice(), ...outputs].slice(0, 4);
        const weights = multistepWeights[outputs.length - 1]!;
        sum = new Float32Array(sample.length);
        outputs.forEach((past, age) => blendInPlace(sum, 1, past, weights[age]!));
        moveTo(sample, sum, timesteps[step]!, timesteps[step]! - stride);
      }
    },
  });
}

/**
 * The timesteps at which Runge-Kutta steps evaluate the model: for each of the noisiest, the timestep, twice the middle
 * to the next, and the next.
 */
function rungeKuttaTimesteps(ascending: readonly number[], half: number): number[] {
  const doubled = ascending.slice(-4).flatMap((timestep) => [timestep, timestep + half]);
  return doubled
    .slice(0, -1)
    .flatMap((timestep) => [timestep, timestep])
    .slice(1, -1)
    .toReversed();
}

/** Evaluates the second of the descending timesteps twice, instead of a Runge-Kutta start. */
function repeatSecond(ascending: readonly number[]): number[] {
  return [...ascending.slice(0, -1), ...ascending.slice(-2, -1), ...ascending.slice(-1)].toReversed();
}
