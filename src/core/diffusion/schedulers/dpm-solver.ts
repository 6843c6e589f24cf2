import { cumulativeAlphas, evenly } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { denoisedInto } from './denoised.ts';
import { crowdingOf } from './noise-levels.ts';
import type { Scheduler } from './scheduler.ts';
import { sigmaAt, timestepOf, trainingSigmas } from './sigmas.ts';
import { roundHalfToEven, timestepSpacings, type TimestepSpacing } from './timesteps.ts';

/** Below so many steps, the last ones are of a lower order, which keeps them stable. */
const fewSteps = 15;

const types = ['epsilon', 'v_prediction', 'sample', 'flow_prediction'] as const;

/**
 * DPM-Solver++ of first or second order (2M), which extrapolates from the step before. Lu et al. 2022, algorithm 2; its
 * stochastic form likewise.
 */
export function createDpmSolver(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['thresholding', 'use_beta_sigmas', 'use_lu_lambdas', 'use_dynamic_shifting']);
  const algorithm = config.choice('algorithm_type', ['dpmsolver++', 'sde-dpmsolver++'], 'dpmsolver++');
  const heun = config.choice('solver_type', ['midpoint', 'heun'], 'midpoint') === 'heun';
  const order = config.number('solver_order', 2);
  if (order !== 1 && order !== 2) throw new RangeError(`solver_order: expected 1 or 2, got ${order}`);
  const type = config.choice('prediction_type', types, 'epsilon');
  const isFlow = config.flag('use_flow_sigmas', false);
  if (isFlow !== (type === 'flow_prediction')) {
    throw new RangeError(`use_flow_sigmas: expected it with prediction_type flow_prediction, got ${type}`);
  }
  const { sigmas, timesteps } = readSigmas(config, steps);
  const levels = sigmas.map((sigma) => levelOf(sigma, isFlow));
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

function levelOf(sigma: number, isFlow: boolean): { alpha: number; sigma: number; lambda: number } {
  const alpha = isFlow ? 1 - sigma : 1 / Math.hypot(sigma, 1);
  const scaled = isFlow ? sigma : sigma * alpha;
  return { alpha, sigma: scaled, lambda: Math.log(alpha) - Math.log(scaled) };
}

function readSigmas(config: ConfigReader, steps: number): { sigmas: number[]; timesteps: number[] } {
  const alphas = cumulativeAlphas(config, { keepFinite: true });
  const training = trainingSigmas(alphas);
  const last =
    config.choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero') === 'zero' ? 0 : training[0]!;
  const crowd = crowdingOf(config);
  if (crowd) {
    const sigmas = crowd(training.at(-1)!, training[0]!, steps);
    const exact = sigmas.map((sigma) => timestepOf(sigma, training));
    const isCosine = config.choice(
      'beta_schedule',
      ['squaredcos_cap_v2', 'linear', 'scaled_linear'],
      'linear',
    );
    const rounds = config.flag('use_karras_sigmas', false) && isCosine !== 'squaredcos_cap_v2';
    return { sigmas: [...sigmas, last], timesteps: exact.map(rounds ? roundHalfToEven : truncate) };
  }
  if (config.flag('use_flow_sigmas', false)) {
    const shift = config.number('flow_shift', 1);
    const sigmas = evenly(1, 1 / training.length, steps + 1)
      .map((alpha) => (shift * (1 - alpha)) / (1 + (shift - 1) * (1 - alpha)))
      .toReversed()
      .slice(0, -1);
    return {
      sigmas: [...sigmas, last],
      timesteps: sigmas.map((sigma) => truncate(sigma * training.length)),
    };
  }
  const spacing = config.choice('timestep_spacing', timestepSpacings, 'linspace');
  const timesteps = spaceOneMore(spacing, {
    trainSteps: training.length,
    usedSteps: usedSteps(training, config.number('lambda_min_clipped', -Infinity)),
    steps,
    offset: config.number('steps_offset', 0),
  });
  return { sigmas: [...timesteps.map((timestep) => sigmaAt(timestep, training)), last], timesteps };
}

/** What lies within single precision of an integer is that integer. */
function truncate(timestep: number): number {
  return Math.trunc(Math.fround(timestep));
}

/** Timesteps of the training whose log of signal over noise is not below a bound. */
function usedSteps(sigmas: Float64Array, smallestLambda: number): number {
  return sigmas.filter((sigma) => -Math.log(sigma) >= smallestLambda).length;
}

/** Spaces one timestep more than asked and leaves the cleanest out, since this solver ends at σ = 0 by itself. */
function spaceOneMore(
  spacing: TimestepSpacing,
  options: {
    readonly trainSteps: number;
    readonly usedSteps: number;
    readonly steps: number;
    readonly offset: number;
  },
): number[] {
  const { trainSteps, usedSteps: used, steps, offset } = options;
  if (spacing === 'trailing') {
    const ratio = trainSteps / steps;
    return Array.from(
      { length: Math.ceil(used / ratio) },
      (_, index) => roundHalfToEven(used - index * ratio) - 1,
    );
  }
  const all =
    spacing === 'linspace'
      ? evenly(0, used - 1, steps + 1).map(roundHalfToEven)
      : Array.from({ length: steps + 1 }, (_, index) => index * Math.floor(used / (steps + 1)) + offset);
  return all.toReversed().slice(0, -1);
}
