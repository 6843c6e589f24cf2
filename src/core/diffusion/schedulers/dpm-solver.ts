import { betaSchedules } from './betas.ts';
import { addDifference, blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { type KnownOutput, rememberOutput } from './known-outputs.ts';
import { fewSteps, type NoiseLevel, readMultistep } from './multistep-sigmas.ts';
import { defineScheduler, drawNoise, type NoiseSource, type Scheduler } from './scheduler.ts';

/** For each algorithm, whether its equation is stochastic, and whether it integrates noise predictions. */
const algorithms = {
  'dpmsolver++': { stochastic: false, ofNoise: false },
  'sde-dpmsolver++': { stochastic: true, ofNoise: false },
  dpmsolver: { stochastic: false, ofNoise: true },
  'sde-dpmsolver': { stochastic: true, ofNoise: true },
} as const;

/**
 * DPM-Solver and DPM-Solver++ of order 1 to 3 (2M, 3M), which extrapolate from previous steps, and their stochastic
 * forms. Lu et al. 2022: "DPM-Solver", and "DPM-Solver++", algorithm 2.
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

  let known: KnownOutput<NoiseLevel>[] = [];
  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, output, denoised }, noise) {
      const [from, to] = [levels[step]!, levels[step + 1]!];
      if (ofNoise) blendInto(output, 1 / from.sigma, sample, -from.alpha / from.sigma, denoised);
      known = rememberOutput(known, { level: from, output: ofNoise ? output : denoised }, order);
      const left = timesteps.length - step;
      const used = known.slice(0, left === 1 && lowerFinal ? 1 : left === 2 && lowersOrder ? 2 : order);
      const way = { ...algorithms[algorithm], takesSlope: heun, bend: 1 };
      takeDpmStep(sample, { from, to, known: used, ...way }, noise);
    },
  });
}

/** A step of DPM-Solver from one noise level to the next. */
interface DpmStep {
  readonly from: NoiseLevel;
  readonly to: NoiseLevel;
  /** One to three outputs of different levels; the step begins at the first. */
  readonly known: readonly KnownOutput<NoiseLevel>[];
  readonly stochastic: boolean;
  readonly ofNoise: boolean;
  /** Whether two outputs are weighted as a slope, instead of as the output in the middle of the step. */
  readonly takesSlope: boolean;
  /** Factor of the curve through three outputs. */
  readonly bend: number;
}

/**
 * Moves the sample by a parabola through the outputs, or a lower-order polynomial through fewer; unchanged for a step
 * of length 0.
 */
export function takeDpmStep(
  sample: Float32Array,
  { from, to, known, takesSlope, bend, ...algorithm }: DpmStep,
  noise: NoiseSource,
): void {
  if (from === to) return;
  const { kept, gained, slope, curve, fresh } = weightsOf(from, to, algorithm);
  blendInPlace(sample, kept, known[0]!.output, gained);
  const [, near, far] = known.map(({ level }) => (level.lambda - from.lambda) / (to.lambda - from.lambda));
  const add = (index: number, place: number, weight: number): void =>
    addDifference(sample, weight / place, known[index]!.output, known[0]!.output);
  if (near !== undefined && far !== undefined) {
    add(1, near, (slope * far - bend * curve) / (far - near));
    add(2, far, (bend * curve - slope * near) / (far - near));
  } else if (near !== undefined) add(1, near, takesSlope ? slope : gained / 2);
  if (algorithm.stochastic && to.sigma > 0) blendInPlace(sample, 1, drawNoise(sample, noise), fresh);
}

/** Weights of the sample, the newest output, its first and second difference, and fresh noise. */
function weightsOf(
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
