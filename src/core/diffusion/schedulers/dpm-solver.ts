import { betaSchedules } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { readThreshold } from './limit.ts';
import { fewSteps, readMultistepSigmas, readSolverType, solverDenoisedInto } from './multistep-sigmas.ts';
import type { Scheduler } from './scheduler.ts';

/** In λ; shorter steps, as at the end of sigmas after Karras, have no digits left for their curve. */
const smallestStep = 1e-6;

/**
 * DPM-Solver++ of order 1 to 3 (2M, 3M), which extrapolates from the steps before. Lu et al. 2022, algorithm 2; its
 * stochastic form likewise.
 */
export function createDpmSolver(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['use_lu_lambdas', 'use_dynamic_shifting']);
  const algorithm = config.choice('algorithm_type', ['dpmsolver++', 'sde-dpmsolver++'], 'dpmsolver++');
  const heun = config.choice('solver_type', ['midpoint', 'heun'], 'midpoint') === 'heun';
  const order = config.number('solver_order', 2);
  const orders = algorithm === 'dpmsolver++' ? [1, 2, 3] : [1, 2];
  if (!orders.includes(order)) {
    throw new RangeError(`solver_order: expected one of ${orders.join(', ')} for ${algorithm}, got ${order}`);
  }
  const { type, isFlow } = readSolverType(config);
  const limit = readThreshold(config);
  const schedule = config.choice('beta_schedule', betaSchedules, 'linear');
  const { levels, timesteps } = readMultistepSigmas(config, steps, {
    isFlow,
    roundsKarras: schedule !== 'squaredcos_cap_v2',
    smallestLambda: config.number('lambda_min_clipped', -Infinity),
  });
  const lowersOrder = config.flag('lower_order_final', true) && timesteps.length < fewSteps;
  const lowerFinal =
    config.choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero') === 'zero' ||
    config.flag('euler_at_final', false) ||
    lowersOrder;
  const stochastic = algorithm === 'sde-dpmsolver++';

  let denoised = new Float32Array(0);
  let before = new Float32Array(0);
  let oldest = new Float32Array(0);
  let scratch = new Float32Array(0);
  return {
    timesteps,
    initialNoiseScale: 1,
    inputScale: () => 1,
    step(step, sample, output, noise) {
      if (denoised.length !== sample.length) {
        denoised = new Float32Array(sample.length);
        before = new Float32Array(sample.length);
        oldest = new Float32Array(sample.length);
        scratch = new Float32Array(sample.length);
      }
      [denoised, before, oldest] = [oldest, denoised, before];
      const from = levels[step]!;
      const to = levels[step + 1]!;
      solverDenoisedInto(denoised, sample, output, { type, level: from });
      limit?.(denoised);

      const h = to.lambda - from.lambda;
      const isFirstOrder =
        order === 1 || step === 0 || h < smallestStep || (step === timesteps.length - 1 && lowerFinal);
      const decay = Math.exp(-h);
      const kept = (to.sigma / from.sigma) * (stochastic ? decay : 1);
      const gained = to.alpha * (1 - (stochastic ? decay * decay : decay));
      blendInPlace(sample, kept, denoised, gained);
      const isThirdOrder =
        order === 3 && !isFirstOrder && step > 1 && !(step === timesteps.length - 2 && lowersOrder);
      if (isThirdOrder) {
        const last = from.lambda - levels[step - 1]!.lambda;
        const whole = from.lambda - levels[step - 2]!.lambda;
        const slope = heunWeight(to.alpha, h, false);
        const curve = to.alpha * (0.5 - (decay - 1 + h) / h ** 2);
        const bend = (slope * last + curve * h) / whole;
        const [near, far] = [((slope + bend) * h) / last, (-bend * h) / (whole - last)];
        blendInto(scratch, near, denoised, -near, before);
        blendInPlace(sample, 1, scratch, 1);
        blendInto(scratch, far, before, -far, oldest);
        blendInPlace(sample, 1, scratch, 1);
      } else if (!isFirstOrder) {
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
