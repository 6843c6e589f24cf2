import { lagrangeBasis } from '../../math/numeric.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { type KnownOutput, rememberOutput } from './known-outputs.ts';
import { defineSigmaScheduler, readSigmas } from './noise-levels.ts';
import type { Scheduler } from './scheduler.ts';

/** Maximum directions per step. */
const maxDirections = 4;

/**
 * Linear multistep method on the noise level σ: integrates a polynomial through the last four directions over the step.
 * The Adams-Bashforth method for steps of different lengths.
 */
export function createLms(config: ConfigReader, steps: number): Scheduler {
  const levels = readSigmas(config, steps);
  const { sigmas } = levels;
  /** Directions by sigma. */
  let known: KnownOutput<number>[] = [];
  return defineSigmaScheduler(levels, {
    move(step, { sample, output, denoised }) {
      const sigma = sigmas[step]!;
      blendInto(output, 1 / sigma, sample, -1 / sigma, denoised);
      known = rememberOutput(known, { level: sigma, output }, maxDirections);
      const nodes = known.map(({ level }) => level - sigma);
      for (const [age, polynomial] of lagrangeBasis(nodes).entries())
        blendInPlace(sample, 1, known[age]!.output, integralTo(sigmas[step + 1]! - sigma, polynomial));
    },
  });
}

/** Integrates a polynomial from 0. */
function integralTo(end: number, polynomial: readonly number[]): number {
  return polynomial.reduce((sum, factor, power) => sum + (factor * end ** (power + 1)) / (power + 1), 0);
}
