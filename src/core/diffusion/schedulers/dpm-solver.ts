import { betaSchedules, evenly } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { denoisedInto } from './denoised.ts';
import { levelOf, readMultistepSigmas } from './multistep-sigmas.ts';
import type { Scheduler } from './scheduler.ts';

/** Below so many steps, the last ones are of a lower order, which keeps them stable. */
const fewSteps = 15;

const types = ['epsilon', 'v_prediction', 'sample', 'flow_prediction'] as const;

/**
 * DPM-Solver++ of first or second order (2M), which extrapolates from the step before. Lu et al. 2022, algorithm 2; its
 * stochastic form likewise.
 */
export function createDpmSolver(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['thresholding', 'use_lu_lambdas', 'use_dynamic_shifting']);
  const algorithm = config.choice('algorithm_type', ['dpmsolver++', 'sde-dpmsolver++'], 'dpmsolver++');
  const heun = config.choice('solver_type', ['midpoint', 'heun'], 'midpoint') === 'heun';
  const order = config.number('solver_order', 2);
  if (order !== 1 && order !== 2) throw new RangeError(`solver_order: expected 1 or 2, got ${order}`);
  const type = config.choice('prediction_type', types, 'epsilon');
  const isFlow = config.flag('use_flow_sigmas', false);
  if (isFlow !== (type === 'flow_prediction')) {
    throw new RangeError(`use_flow_sigmas: expected it with prediction_type flow_prediction, got ${type}`);
  }
  const schedule = config.choice('beta_schedule', betaSchedules, 'linear');
  const { sigmas, timesteps } = readMultistepSigmas(config, steps, {
    flowSigmas: (count, trainSteps) =>
      evenly(1, 1 / trainSteps, count + 1)
        .map((alpha) => 1 - alpha)
        .toReversed()
        .slice(0, -1),
    roundsKarras: schedule !== 'squaredcos_cap_v2',
    smallestLambda: config.number('lambda_min_clipped', -Infinity),
  });
  const levels = sigmas.map((sigma) => levelOf(sigma, { isFlow }));
  const lowerFinal =
    config.choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero') === 'zero' ||
    config.flag('euler_at_final', false) ||
    (config.flag('lower_order_final', true) && timesteps.length < fewSteps);
  const stochastic = algorithm === 'sde-dpmsolver++';

  let denoised = new Float32Array(0);
  let before = new Float32Array(0);
  let scratch = new Float32Array(0);
  return {
    timesteps,
    initialNoiseScale: 1,
    inputScale: () => 1,
    step(step, sample, output, noise) {
      if (denoised.length !== sample.length) {
        denoised = new Float32Array(sample.length);
        before = new Float32Array(sample.length);
        scratch = new Float32Array(sample.length);
      }
      [denoised, before] = [before, denoised];
      const from = levels[step]!;
      const to = levels[step + 1]!;
      if (type === 'flow_prediction') blendInto(denoised, 1, sample, -from.sigma, output);
      else denoisedInto(denoised, sample, output, { type, ...from });

      const isFirstOrder = order === 1 || step === 0 || (step === timesteps.length - 1 && lowerFinal);
      const h = to.lambda - from.lambda;
      const decay = Math.exp(-h);
      const kept = (to.sigma / from.sigma) * (stochastic ? decay : 1);
      const gained = to.alpha * (1 - (stochastic ? decay * decay : decay));
      blendInPlace(sample, kept, denoised, gained);
      if (!isFirstOrder) {
        const ratio = h / (from.lambda - levels[step - 1]!.lambda);
        blendInto(scratch, ratio, denoised, -ratio, before);
        blendInPlace(sample, 1, scratch, heun ? heunWeight(to.alpha, h, stochastic) : gained / 2);
      }
      if (stochastic && to.sigma > 0) {
        noise(scratch);
        blendInPlace(sample, 1, scratch, to.sigma * Math.sqrt(1 - decay * decay));
      }
      return denoised;
    },
  };
}

function heunWeight(alpha: number, h: number, stochastic: boolean): number {
  return stochastic ? alpha * ((1 - Math.exp(-2 * h)) / (-2 * h) + 1) : alpha * ((Math.exp(-h) - 1) / h + 1);
}
