import { betaSchedules } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { fewSteps, type NoiseLevel, readMultistep } from './multistep-sigmas.ts';
import { defineScheduler, type Scheduler } from './scheduler.ts';

/** In λ; shorter steps, as at the end of sigmas after Karras, have no digits left for their curve. */
const smallestStep = 1e-6;

/** For each algorithm, whether its equation is stochastic and whether it integrates predictions of the noise. */
const algorithms = {
  'dpmsolver++': { stochastic: false, ofNoise: false },
  'sde-dpmsolver++': { stochastic: true, ofNoise: false },
  dpmsolver: { stochastic: false, ofNoise: true },
  'sde-dpmsolver': { stochastic: true, ofNoise: true },
} as const;

/**
 * DPM-Solver and DPM-Solver++ of order 1 to 3 (2M, 3M), which extrapolate from the steps before, and their stochastic forms.
 * Lu et al. 2022: "DPM-Solver", and "DPM-Solver++", algorithm 2.
 */
export function createDpmSolver(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['use_dynamic_shifting', 'variance_type']);
  const names = Object.keys(algorithms) as (keyof typeof algorithms)[];
  const algorithm = config.choice('algorithm_type', names, 'dpmsolver++');
  const { stochastic, ofNoise } = algorithms[algorithm];
  const heun = config.choice('solver_type', ['midpoint', 'heun'], 'midpoint') === 'heun';
  const order = config.number('solver_order', 2);
  const orders = stochastic ? [1, 2] : [1, 2, 3];
  if (!orders.includes(order))
    throw new RangeError(`solver_order: expected one of ${orders.join(', ')} for ${algorithm}, got ${order}`);
  if (ofNoise && config.flag('use_flow_sigmas', false))
    throw new RangeError(`use_flow_sigmas: expected it to be off beside algorithm_type ${algorithm}`);
  const schedule = config.choice('beta_schedule', betaSchedules, 'linear');
  const { levels, timesteps, denoisedInto } = readMultistep(config, steps, {
    takesLu: true,
    roundsKarras: schedule !== 'squaredcos_cap_v2',
    smallestLambda: config.number('lambda_min_clipped', -Infinity),
  });
  if (ofNoise && levels.at(-1)!.sigma === 0)
    throw new RangeError(
      `final_sigmas_type: expected sigma_min beside algorithm_type ${algorithm}, got zero`,
    );
  const lowersOrder = config.flag('lower_order_final', true) && timesteps.length < fewSteps;
  const lowerFinal =
    config.choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero') === 'zero' ||
    config.flag('euler_at_final', false) ||
    lowersOrder;

  return defineScheduler({
    timesteps,
    buffers: ['first', 'second', 'third', 'scratch'],
    denoisedInto,
    move(step, { sample, denoised, first, second, third, scratch }, noise) {
      // The last three outputs take turns.
      const ring = [first, second, third];
      const [newest, before, oldest] = [ring[step % 3]!, ring[(step + 2) % 3]!, ring[(step + 1) % 3]!];
      const [from, to] = [levels[step]!, levels[step + 1]!];
      if (ofNoise) blendInto(newest, 1 / from.sigma, sample, -from.alpha / from.sigma, denoised);
      else newest.set(denoised);

      const h = to.lambda - from.lambda;
      const isFirstOrder =
        order === 1 || step === 0 || h < smallestStep || (step === timesteps.length - 1 && lowerFinal);
      const { kept, gained, slope, curve, fresh } = weightsOf(from, to, { stochastic, ofNoise });
      blendInPlace(sample, kept, newest, gained);
      const isThirdOrder =
        order === 3 && !isFirstOrder && step > 1 && !(step === timesteps.length - 2 && lowersOrder);
      if (isThirdOrder) {
        const last = from.lambda - levels[step - 1]!.lambda;
        const whole = from.lambda - levels[step - 2]!.lambda;
        const bend = (slope * last + curve * h) / whole;
        const [near, far] = [((slope + bend) * h) / last, (-bend * h) / (whole - last)];
        blendInto(scratch, near, newest, -near, before);
        blendInPlace(sample, 1, scratch, 1);
        blendInto(scratch, far, before, -far, oldest);
        blendInPlace(sample, 1, scratch, 1);
      } else if (!isFirstOrder) {
        const ratio = h / (from.lambda - levels[step - 1]!.lambda);
        blendInto(scratch, ratio, newest, -ratio, before);
        blendInPlace(sample, 1, scratch, heun ? slope : gained / 2);
      }
      if (stochastic && to.sigma > 0) {
        noise(scratch);
        blendInPlace(sample, 1, scratch, fresh);
      }
    },
  });
}

/** Weights of the sample, of the newest output, of its first and second difference, and of fresh noise in a step. */
export function weightsOf(
  from: NoiseLevel,
  to: NoiseLevel,
  { stochastic, ofNoise }: { stochastic: boolean; ofNoise: boolean },
): Readonly<Record<'kept' | 'gained' | 'slope' | 'curve' | 'fresh', number>> {
  const h = to.lambda - from.lambda;
  if (ofNoise) {
    const scale = -to.sigma * (stochastic ? 2 : 1);
    const growth = Math.expm1(h);
    return {
      kept: to.alpha / from.alpha,
      gained: scale * growth,
      slope: scale * (growth / h - 1),
      curve: scale * ((growth - h) / h ** 2 - 0.5),
      fresh: to.sigma * Math.sqrt(Math.expm1(2 * h)),
    };
  }
  const speed = stochastic ? 2 : 1;
  const decay = Math.exp(-h);
  const faded = -Math.expm1(-speed * h);
  return {
    kept: (to.sigma / from.sigma) * (stochastic ? decay : 1),
    gained: to.alpha * faded,
    slope: to.alpha * (1 - faded / (speed * h)),
    curve: to.alpha * (0.5 - (h - faded) / h ** 2),
    fresh: to.sigma * Math.sqrt(-Math.expm1(-2 * h)),
  };
}
