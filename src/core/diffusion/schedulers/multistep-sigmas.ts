import { roundHalfToEven } from '../../math/numeric.ts';
import { cumulativeAlphas, evenly } from './betas.ts';
import { blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { denoisedInto, readThreshold } from './denoised.ts';
import { joinEqualLevels } from './known-outputs.ts';
import { crowdingOf } from './noise-levels.ts';
import { sigmaAt, timestepOf, trainingSigmas } from './sigmas.ts';
import { spaceTimesteps, timestepSpacings, trailingTimesteps } from './timesteps.ts';

/** At 1, which is pure noise, the logarithm of the signal would be infinite. */
const maxFlowSigma = 1 - 1e-6;

/** Differences between the noise levels of multistep solvers. */
export interface MultistepWays {
  /** The evenly spaced sigmas of a flow-matching model before their shift, noisiest first. */
  readonly flowSigmas?: (steps: number, trainSteps: number) => number[];
  /** Whether timesteps are rounded after Karras spacing, instead of truncated. */
  readonly roundsKarras: boolean;
  /** Whether `use_lu_lambdas` is supported, which spaces sigmas evenly in ln σ, with the same rounding. */
  readonly takesLu?: boolean;
  /** Timesteps with less signal are dropped. */
  readonly smallestLambda?: number;
  /** Whether the generation ends at its smallest sigma, regardless of the config. */
  readonly endsAtSmallest?: boolean;
}

/** With fewer steps, the last ones have a lower order for stability. */
export const fewSteps = 15;

const solverTypes = ['epsilon', 'v_prediction', 'sample', 'flow_prediction'] as const;

/** @throws RangeError for an order that the solver doesn't support */
export function readOrder(config: ConfigReader, name: string, orders: readonly number[]): number {
  const order = config.number(name, 2);
  if (orders.includes(order)) return order;
  throw new RangeError(
    `${name}: expected ${orders.slice(0, -1).join(', ')} or ${orders.at(-1)}, got ${order}`,
  );
}

export type Multistep = ReturnType<typeof readMultistep>;

/** Common settings of multistep solvers. */
export function readMultistep(config: ConfigReader, steps: number, ways: MultistepWays) {
  const type = config.choice('prediction_type', solverTypes, 'epsilon');
  const isFlow = config.flag('use_flow_sigmas', false);
  if (isFlow !== (type === 'flow_prediction'))
    throw new RangeError(`use_flow_sigmas: expected it with prediction_type flow_prediction, got ${type}`);
  const limit = readThreshold(config);
  const { sigmas, timesteps, last } = spaceSigmas(config, steps, isFlow, ways);
  const levels = joinEqualLevels(
    [...sigmas, last].map((sigma) => levelOf(sigma, isFlow)),
    ({ lambda }) => lambda,
  );
  return {
    /** The noise levels of the steps, and the final one; both ends of a step of length 0 are the same object. */
    levels,
    timesteps,
    /** The model's predicted image for a sample. */
    denoisedInto(out: Float32Array, sample: Float32Array, output: Float32Array, step: number): void {
      const level = levels[step]!;
      if (type === 'flow_prediction') blendInto(out, 1, sample, -level.sigma, output);
      else denoisedInto(out, sample, output, { type, ...level });
      limit?.(out);
    },
  };
}

function spaceSigmas(
  config: ConfigReader,
  steps: number,
  isFlow: boolean,
  {
    flowSigmas = evenFlowSigmas,
    roundsKarras,
    takesLu = false,
    smallestLambda = -Infinity,
    endsAtSmallest = false,
  }: MultistepWays,
): { sigmas: number[]; timesteps: number[]; last: number } {
  const training = trainingSigmas(cumulativeAlphas(config, { keepFinite: true }));
  const last =
    !endsAtSmallest && config.choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero') === 'zero'
      ? 0
      : training[0]!;
  const crowd = crowdingOf(config, { takesLu });
  if (crowd) {
    if (isFlow) throw new RangeError('use_flow_sigmas: expected no other distribution of sigmas beside it');
    const sigmas = crowd(training.at(-1)!, training[0]!, steps);
    const isLu = takesLu && config.flag('use_lu_lambdas', false);
    const exact = sigmas.map((sigma) => timestepOf(sigma, training, isLu ? Math.fround : undefined));
    const rounds = roundsKarras && (config.flag('use_karras_sigmas', false) || isLu);
    return { sigmas, last, timesteps: exact.map(rounds ? roundHalfToEven : Math.trunc) };
  }
  if (isFlow) {
    const shift = config.number('flow_shift', 1);
    const sigmas = flowSigmas(steps, training.length).map((sigma) =>
      Math.min((shift * sigma) / (1 + (shift - 1) * sigma), maxFlowSigma),
    );
    // Products within single precision of an integer are that integer.
    const timesteps = sigmas.map((sigma) => Math.trunc(Math.fround(sigma * training.length)));
    return { sigmas, last: endsAtSmallest ? sigmas.at(-1)! : last, timesteps };
  }
  const spacing = config.choice('timestep_spacing', timestepSpacings, 'linspace');
  const [used, offset] = [usedSteps(training, smallestLambda), config.number('steps_offset', 0)];
  // One more than requested, without the cleanest, since these solvers end at σ = 0 anyway.
  const timesteps =
    spacing === 'trailing'
      ? trailingTimesteps(used, training.length / steps)
      : spaceTimesteps(spacing, { trainSteps: used, steps: steps + 1, offset })
          .slice(0, -1)
          .map(roundHalfToEven);
  return { sigmas: timesteps.map((timestep) => sigmaAt(timestep, training)), last, timesteps };
}

/** Fractions of image and noise in a sample; their squares sum to 1, except for flow matching. */
export interface NoiseLevel {
  readonly alpha: number;
  readonly sigma: number;
  /** ln α − ln σ. */
  readonly lambda: number;
}

/** @param isFlow whether the fractions themselves sum to 1 */
function levelOf(sigma: number, isFlow: boolean): NoiseLevel {
  const alpha = isFlow ? 1 - sigma : 1 / Math.hypot(sigma, 1);
  const scaled = isFlow ? sigma : sigma * alpha;
  return { alpha, sigma: scaled, lambda: Math.log(alpha) - Math.log(scaled) };
}

function evenFlowSigmas(steps: number, trainSteps: number): number[] {
  return evenly(1, 1 / trainSteps, steps + 1)
    .map((alpha) => 1 - alpha)
    .toReversed()
    .slice(0, -1);
}

/** The number of training timesteps with a log signal-to-noise ratio of at least `smallestLambda`. */
function usedSteps(sigmas: Float64Array, smallestLambda: number): number {
  return sigmas.filter((sigma) => -Math.log(sigma) >= smallestLambda).length;
}
