import { roundHalfToEven } from '../../math/numeric.ts';
import { cumulativeAlphas, type BetaRange } from './betas.ts';
import { blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { joinEqualLevels } from './known-outputs.ts';
import {
  defineScheduler,
  predictionTypes,
  type PredictionType,
  type Scheduler,
  type SchedulerSteps,
} from './scheduler.ts';
import {
  betaSigmas,
  exponentialSigmas,
  karrasSigmas,
  sigmaAt,
  timestepOf,
  trainingSigmas,
} from './sigmas.ts';
import { spaceTimesteps, timestepSpacings } from './timesteps.ts';

export type SigmaLevels = ReturnType<typeof readSigmas>;

/** The noise levels of a generation with Euler's method, including the final one, and their timesteps. */
export function readSigmas(
  config: ConfigReader,
  steps: number,
  {
    types = predictionTypes,
    betaRange,
    roundsKarras = false,
  }: { types?: readonly PredictionType[]; betaRange?: BetaRange; roundsKarras?: boolean } = {},
) {
  const type = config.choice('prediction_type', types, 'epsilon');
  const training = trainingSigmas(cumulativeAlphas(config, { keepFinite: true, betaRange }));
  const spacing = config.choice('timestep_spacing', timestepSpacings, 'linspace');
  let timesteps = spaceTimesteps(spacing, {
    trainSteps: training.length,
    steps,
    offset: config.number('steps_offset', 0),
  });
  let sigmas = timesteps.map((timestep) => sigmaAt(timestep, training));
  const crowd = crowdingOf(config);
  if (crowd) {
    const from = config.number('sigma_max', sigmas[0]!);
    const to = config.number('sigma_min', sigmas.at(-1)!);
    sigmas = crowd(from, to, sigmas.length);
    timesteps = sigmas.map((sigma) => timestepOf(sigma, training));
    if (roundsKarras && config.flag('use_karras_sigmas', false)) timesteps = timesteps.map(roundHalfToEven);
  }
  const kind = config.choice('timestep_type', ['discrete', 'continuous'], 'discrete');
  if (kind === 'continuous' && type === 'v_prediction')
    timesteps = sigmas.map((sigma) => 0.25 * Math.log(sigma));
  const last =
    config.choice('final_sigmas_type', ['zero', 'sigma_min'], 'zero') === 'zero' ? 0 : training[0]!;
  const largest = Math.max(...sigmas, last);
  return {
    type,
    sigmas: joinEqualLevels([...sigmas, last], Math.log),
    timesteps,
    training,
    initialNoiseScale: spacing === 'leading' ? Math.hypot(largest, 1) : largest,
  };
}

/** The noise level below `to` of an ancestral step, and the fraction of fresh noise that leads back up. */
export function ancestralSigmas(from: number, to: number): { down: number; up: number } {
  const left = to < from ? to / from : 1;
  return { down: to * left, up: to * Math.sqrt((1 - left) * (1 + left)) };
}

/** The spacing of sigmas, if a config replaces the training's. */
export function crowdingOf(
  config: ConfigReader,
  { takesLu = false }: { takesLu?: boolean } = {},
): ((from: number, to: number, count: number) => number[]) | undefined {
  const asked = (Object.keys(crowdings) as (keyof typeof crowdings)[]).filter(
    (name) => (takesLu || name !== 'use_lu_lambdas') && config.flag(name, false),
  );
  if (asked.length > 1) throw new RangeError(`${asked[1]}: expected it to be off beside ${asked[0]}`);
  return asked[0] && crowdings[asked[0]];
}

const crowdings = {
  use_karras_sigmas: karrasSigmas,
  use_exponential_sigmas: exponentialSigmas,
  use_beta_sigmas: betaSigmas,
  // Their timesteps are rounded as after Karras spacing.
  use_lu_lambdas: exponentialSigmas,
} as const;

/**
 * Timesteps and noise levels of schedulers that evaluate the model at each level except the last, and between adjacent levels.
 */
export function atMiddles(
  { sigmas, timesteps, training }: SigmaLevels,
  middleOf: (index: number) => number,
): { readonly timesteps: readonly number[]; sigmaOf(step: number): number } {
  return {
    timesteps: timesteps.flatMap((one, index) => [one, timestepOf(middleOf(index), training)]).slice(0, -1),
    sigmaOf: (step) => (step % 2 === 0 ? sigmas[step / 2]! : middleOf((step - 1) / 2)),
  };
}

/** A scheduler for samples image + σ · noise. */
export function defineSigmaScheduler(
  { type, sigmas, timesteps, initialNoiseScale }: SigmaLevels,
  steps: Pick<SchedulerSteps, 'move'> & Partial<Pick<SchedulerSteps, 'timesteps' | 'sigmaOf'>>,
): Scheduler {
  const { sigmaOf = (step: number): number => sigmas[step]! } = steps;
  return defineScheduler({
    timesteps,
    initialNoiseScale,
    sigmaOf,
    denoisedInto(out, sample, output, step) {
      const sigma = sigmaOf(step);
      const square = sigma * sigma + 1;
      if (type === 'epsilon') blendInto(out, 1, sample, -sigma, output);
      else if (type === 'sample') out.set(output);
      else blendInto(out, 1 / square, sample, -sigma / Math.sqrt(square), output);
    },
    ...steps,
  });
}
