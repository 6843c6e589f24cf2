import { exponentialIntegral, lagrangeBasis } from '../../math/numeric.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { type KnownOutput, rememberOutput } from './known-outputs.ts';
import { type NoiseLevel, readOrder, readMultistep, type Multistep } from './multistep-sigmas.ts';
import { defineScheduler, drawNoise, type Scheduler } from './scheduler.ts';

/**
 * Stochastic Adams solver: an Adams-Bashforth predictor and an Adams-Moulton corrector, each of order 1 to 4. The
 * output at the end of a step corrects that step, with the same noise, before the next prediction. Xue et al. 2023,
 * algorithm 1; order 2 with the modification for few steps in its appendix.
 */
export function createSaSolver(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['tau_func', 'variance_type', 'use_dynamic_shifting', 'rescale_betas_zero_snr']);
  const algorithms = ['data_prediction', 'noise_prediction'] as const;
  const ofImages = config.choice('algorithm_type', algorithms, 'data_prediction') === 'data_prediction';
  const [predictorOrder, correctorOrder] = [
    readOrder(config, 'predictor_order', [1, 2, 3, 4]),
    readOrder(config, 'corrector_order', [1, 2, 3, 4]),
  ];
  const unfit = ['use_flow_sigmas', 'thresholding'].find((name) => !ofImages && config.flag(name, false));
  if (unfit !== undefined)
    throw new RangeError(`${unfit}: expected it to be off beside algorithm_type noise_prediction`);
  const multistep = readMultistep(config, steps, {
    roundsKarras: true,
    endsAtSmallest: true,
    smallestLambda: config.number('lambda_min_clipped', -Infinity),
  });
  const lowersOrder = config.flag('lower_order_final', true);
  return createAdams(multistep, {
    ofImages,
    predictorOrder,
    correctorOrder,
    lowersOrder,
    // Fraction of fresh noise, τ: the stochastic equation in the middle, the deterministic one at both ends.
    stochasticity: (timestep) => (timestep >= 200 && timestep <= 800 ? 1 : 0),
  });
}

/** Differences between Adams solvers. */
interface AdamsWays {
  /** Whether image predictions are integrated, instead of noise predictions. */
  readonly ofImages: boolean;
  readonly predictorOrder: number;
  /** Default: no correction. */
  readonly correctorOrder?: number;
  /** Whether the last steps have a lower order. */
  readonly lowersOrder: boolean;
  /** Fraction of fresh noise by timestep; default: 0, without drawing noise. */
  readonly stochasticity?: (timestep: number) => number;
}

/** Maximum order of a predictor or a corrector. */
const maxOrder = 4;

/** Integrates a polynomial in λ through the last outputs over each step. */
export function createAdams(
  { levels, timesteps, denoisedInto }: Multistep,
  { ofImages, predictorOrder, correctorOrder = 0, lowersOrder, stochasticity }: AdamsWays,
): Scheduler {
  /** Predicted images or noises. */
  let known: KnownOutput<NoiseLevel>[] = [];
  let start: Float32Array;
  let drawn: Float32Array | undefined;

  /** Takes the step from `index` with the newest outputs. */
  const take = (sample: Float32Array, index: number, order: number): void => {
    const [from, to] = [levels[index]!, levels[index + 1]!];
    const tau = stochasticity?.(timesteps[index]!) ?? 0;
    const speed = 1 + tau ** 2;
    const h = to.lambda - from.lambda;
    // λ relative to the end of the step and scaled, so that the integrand is a polynomial times the exponential.
    const scale = ofImages ? speed : -1;
    const lambdas = known.slice(0, order).map(({ level }) => level.lambda - to.lambda);
    const weights = lagrangeBasis(lambdas.map((lambda) => scale * lambda)).map((polynomial) => {
      const integral = exponentialIntegral(polynomial, -scale * h, 0);
      return ofImages ? to.alpha * integral : speed * to.sigma * integral;
    });
    if (ofImages && lambdas.length === 2) {
      const curve = h ** 2 / 2 - (speed * h + Math.expm1(-speed * h)) / speed ** 2;
      const change = (speed * to.alpha * curve) / (lambdas[0]! - lambdas[1]!);
      weights[0]! += change;
      weights[1]! -= change;
    }
    const kept = ofImages ? (Math.exp(-(tau ** 2) * h) * to.sigma) / from.sigma : to.alpha / from.alpha;
    const fresh = ofImages ? Math.sqrt(-Math.expm1(-2 * tau ** 2 * h)) : tau * Math.sqrt(Math.expm1(2 * h));
    blendInPlace(sample, kept, drawn ?? sample, to.sigma * fresh);
    for (const [age, weight] of weights.entries()) blendInPlace(sample, 1, known[age]!.output, weight);
  };

  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, output, denoised }, noise) {
      const level = levels[step]!;
      if (!ofImages) blendInto(output, 1 / level.sigma, sample, -level.alpha / level.sigma, denoised);
      known = rememberOutput(known, { level, output: ofImages ? denoised : output }, maxOrder);
      const left = lowersOrder ? timesteps.length - step : Infinity;
      if (step > 0 && correctorOrder > 0 && level !== levels[step - 1]) {
        sample.set(start);
        take(sample, step - 1, Math.min(correctorOrder, left + 2));
      }
      start = sample.slice();
      drawn = stochasticity && drawNoise(sample, noise);
      if (level !== levels[step + 1]) take(sample, step, Math.min(predictorOrder, left));
    },
  });
}
