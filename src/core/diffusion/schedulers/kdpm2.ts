import { latentBetaRange } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { ancestralSigmas, atMiddles, defineSigmaScheduler, readSigmas } from './noise-levels.ts';
import { drawNoise, type Scheduler } from './scheduler.ts';

/**
 * The midpoint method on the noise level σ, with the geometric mean of a step's ends as its middle: DPM-Solver-2 in the
 * form of Karras et al. 2022, algorithm 2. The last step is Euler's, for `2 · steps − 1` evaluations.
 */
export function createKdpm2(config: ConfigReader, steps: number): Scheduler {
  return createMidpoint(config, steps, (_, to) => ({ down: to, up: 0 }));
}

/** Like {@link createKdpm2}, to a lower noise level, then fresh noise up to the target level. */
export function createKdpm2Ancestral(config: ConfigReader, steps: number): Scheduler {
  return createMidpoint(config, steps, ancestralSigmas);
}

function createMidpoint(config: ConfigReader, steps: number, split: typeof ancestralSigmas): Scheduler {
  const types = ['epsilon', 'v_prediction'] as const;
  const levels = readSigmas(config, steps, { types, betaRange: latentBetaRange, roundsKarras: true });
  const { sigmas, timesteps } = levels;
  const middleOf = (index: number): number =>
    Math.sqrt(sigmas[index]! * split(sigmas[index]!, sigmas[index + 1]!).down);
  const asked = atMiddles(levels, middleOf);
  let start: Float32Array;
  return defineSigmaScheduler(levels, {
    ...asked,
    move(step, { sample, denoised }, noise) {
      const sigma = asked.sigmaOf(step);
      if (step % 2 === 0) {
        start = sample.slice();
        const isLast = step === 2 * (timesteps.length - 1);
        const move = ((isLast ? sigmas.at(-1)! : middleOf(step / 2)) - sigma) / sigma;
        blendInPlace(sample, 1 + move, denoised, -move);
      } else {
        const from = sigmas[(step - 1) / 2]!;
        const { down, up } = split(from, sigmas[(step + 1) / 2]!);
        const move = (down - from) / sigma;
        blendInto(sample, move, sample, -move, denoised);
        blendInPlace(sample, 1, start, 1);
        if (up > 0) blendInPlace(sample, 1, drawNoise(sample, noise), up);
      }
    },
  });
}
