import { lagrangeBasis } from '../../math/numeric.ts';
import { evenly } from './betas.ts';
import { addDifference, blendInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { type KnownOutput, rememberOutput } from './known-outputs.ts';
import { type NoiseLevel, readOrder, readMultistep } from './multistep-sigmas.ts';
import { defineScheduler, type Scheduler } from './scheduler.ts';

/**
 * Unified predictor and corrector of order 1 to 3: the output at the end of a step corrects that step before it
 * predicts the next one, without additional evaluations. Zhao et al. 2023, algorithms 5 to 8, predicting the image.
 */
export function createUniPc(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['solver_p', 'use_dynamic_shifting', 'shift_terminal', 'sigma_min', 'sigma_max']);
  if (!config.flag('predict_x0', true)) throw new RangeError('predict_x0: expected true, got false');
  const most = readOrder(config, 'solver_order', [1, 2, 3]);
  const kinds = ['bh1', 'bh2', 'midpoint', 'heun', 'logrho'] as const; // the last three are synonyms of bh2
  const isFirstKind = config.choice('solver_type', kinds, 'bh2') === 'bh1';
  const lowersOrder = config.flag('lower_order_final', true);
  const uncorrected = new Set(config.numbers('disable_corrector'));
  const { levels, timesteps, denoisedInto } = readMultistep(config, steps, {
    flowSigmas: (count, trainSteps) => evenly(1, 1 / trainSteps, count + 1).slice(0, -1),
    roundsKarras: true,
  });

  /** Predicted images. */
  let known: KnownOutput<NoiseLevel>[] = [];
  let order = 1;
  let start: Float32Array;

  /** Takes the step from `index`, starting at `sample`; for a correction, `atEnd` is the predicted image at its end. */
  const take = (sample: Float32Array, index: number, atEnd?: Float32Array): void => {
    const [from, to, newest] = [levels[index]!, levels[index + 1]!, known[0]!.output];
    const h = to.lambda - from.lambda;
    const growth = Math.expm1(-h);
    const scale = to.alpha * (isFirstKind ? -h : growth);
    const others = known.slice(1, order);
    const ratios = others.map(({ level }) => (level.lambda - from.lambda) / h);
    const weights = weightsOf(ratios, { h, isFirstKind, corrects: atEnd !== undefined });
    blendInPlace(sample, to.sigma / from.sigma, newest, -to.alpha * growth);
    for (const [age, other] of [...others.map(({ output }) => output), ...(atEnd ? [atEnd] : [])].entries())
      addDifference(sample, (-scale * weights[age]!) / (ratios[age] ?? 1), other, newest);
  };

  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, denoised }) {
      const level = levels[step]!;
      if (step > 0 && level !== levels[step - 1] && !uncorrected.has(step - 1)) {
        sample.set(start);
        take(sample, step - 1, denoised);
      }
      known = rememberOutput(known, { level, output: denoised }, most);
      const isLast = step === timesteps.length - 1;
      const end = isLast && levels.at(-1)!.sigma === 0 ? 1 : lowersOrder ? timesteps.length - step : most;
      order = Math.min(known.length, end);
      start = sample.slice();
      if (level !== levels[step + 1]) take(sample, step);
    },
  });
}

/**
 * The weights of the differences to earlier outputs, followed, for a correction, by the weight of the difference to the
 * output at the end.
 */
function weightsOf(
  ratios: readonly number[],
  { h, isFirstKind, corrects }: { h: number; isFirstKind: boolean; corrects: boolean },
): number[] {
  const size = ratios.length + Number(corrects);
  if (size <= 1) return size === 0 ? [] : [0.5];
  const places = corrects ? [...ratios, 1] : ratios;
  const scale = isFirstKind ? -h : Math.expm1(-h);
  const goals: number[] = [];
  let factorial = 1;
  let phi = Math.expm1(-h) / -h - 1;
  for (let power = 1; power <= size; power++) {
    goals.push((phi * factorial) / scale);
    factorial *= power + 1;
    phi = phi / -h - 1 / factorial;
  }
  // They sum powers of the places to the goals, like a Lagrange polynomial: 1 at its own place and 0 at all different places.
  return lagrangeBasis(places).map((polynomial) =>
    polynomial.reduce((total, factor, power) => total + factor * goals[power]!, 0),
  );
}
