import { cumulativeAlphas, evenly } from './betas.ts';
import type { ConfigReader } from './config.ts';
import { crowdingOf } from './noise-levels.ts';
import { sigmaAt, timestepOf, trainingSigmas } from './sigmas.ts';
import { roundHalfToEven, timestepSpacings, trailingTimesteps, type TimestepSpacing } from './timesteps.ts';

/** At 1, where nothing of the image is left, its logarithm would be infinite. */
const largestFlowSigma = 1 - 1e-6;

/** In which ways the noise levels of multistep solvers differ. */
export interface MultistepWays {
  /** The evenly spaced sigmas of a model trained with flow matching, noisiest first, before their shift. */
  readonly flowSigmas: (steps: number, trainSteps: number) => number[];
  /** Timesteps are rounded where sigmas crowd after Karras; otherwise fractions are cut off. */
  readonly roundsKarras: boolean;
  /** Timesteps of less signal are left out. */
  readonly smallestLambda: number;
}

/** The noise levels of a multistep solver, a last one for its end included, and their timesteps. */
export function readMultistepSigmas(
  config: ConfigReader,
  steps: number,
  { flowSigmas, roundsKarras, smallestLambda }: MultistepWays,
): { sigmas: number[]; timesteps: number[] } {
  const training = trainingSigmas(cumulativeAlphas(config, { keepFinite: true }));
  const last =
    config.choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero') === 'zero' ? 0 : training[0]!;
  const crowd = crowdingOf(config);
  const isFlow = config.flag('use_flow_sigmas', false);
  if (crowd) {
    if (isFlow) throw new RangeError('use_flow_sigmas: expected no other distribution of sigmas beside it');
    const sigmas = crowd(training.at(-1)!, training[0]!, steps);
    const exact = sigmas.map((sigma) => timestepOf(sigma, training));
    const rounds = roundsKarras && config.flag('use_karras_sigmas', false);
    return { sigmas: [...sigmas, last], timesteps: exact.map(rounds ? roundHalfToEven : Math.trunc) };
  }
  if (isFlow) {
    const shift = config.number('flow_shift', 1);
    const sigmas = flowSigmas(steps, training.length).map((sigma) =>
      Math.min((shift * sigma) / (1 + (shift - 1) * sigma), largestFlowSigma),
    );
    // Products within single precision of an integer are that integer.
    const timesteps = sigmas.map((sigma) => Math.trunc(Math.fround(sigma * training.length)));
    return { sigmas: [...sigmas, last], timesteps };
  }
  const spacing = config.choice('timestep_spacing', timestepSpacings, 'linspace');
  const timesteps = spaceOneMore(spacing, {
    trainSteps: training.length,
    usedSteps: usedSteps(training, smallestLambda),
    steps,
    offset: config.number('steps_offset', 0),
  });
  return { sigmas: [...timesteps.map((timestep) => sigmaAt(timestep, training)), last], timesteps };
}

/** Shares of image and noise in a sample, whose squares sum to 1 unless the model is one of flow matching. */
export interface NoiseLevel {
  readonly alpha: number;
  readonly sigma: number;
  /** ln α − ln σ. */
  readonly lambda: number;
}

/** @param options.isFlow whether the shares themselves sum to 1 */
export function levelOf(sigma: number, { isFlow }: { readonly isFlow: boolean }): NoiseLevel {
  const alpha = isFlow ? 1 - sigma : 1 / Math.hypot(sigma, 1);
  const scaled = isFlow ? sigma : sigma * alpha;
  return { alpha, sigma: scaled, lambda: Math.log(alpha) - Math.log(scaled) };
}

/** Timesteps of the training whose log of signal over noise is not below a bound. */
function usedSteps(sigmas: Float64Array, smallestLambda: number): number {
  return sigmas.filter((sigma) => -Math.log(sigma) >= smallestLambda).length;
}

/** Spaces one timestep more than asked and leaves the cleanest out, since these solvers end at σ = 0 by themselves. */
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
  if (spacing === 'trailing') return trailingTimesteps(used, trainSteps / steps);
  const all =
    spacing === 'linspace'
      ? evenly(0, used - 1, steps + 1).map(roundHalfToEven)
      : Array.from({ length: steps + 1 }, (_, index) => index * Math.floor(used / (steps + 1)) + offset);
  return all.toReversed().slice(0, -1);
}
