import { latentBetaRange } from './betas.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { ancestralSigmas, atMiddles, defineSigmaScheduler, readSigmas } from './noise-levels.ts';
import { drawNoise, type Scheduler, type StepBuffers } from './scheduler.ts';

/**
 * DPM-Solver++ for the stochastic equation, second order with a midpoint: each step evaluates the model at its start
 * and at the geometric mean of its ends, the last one only at its start: `2 · steps − 1` evaluations. Lu et al. 2022;
 * one Brownian path provides the noise of both halves.
 */
export function createDpmSde(config: ConfigReader, steps: number): Scheduler {
  const types = ['epsilon', 'v_prediction'] as const;
  const levels = readSigmas(config, steps, { types, betaRange: latentBetaRange });
  const { sigmas } = levels;
  const middleOf = (index: number): number => Math.sqrt(sigmas[index]! * sigmas[index + 1]!);

  /** Moves a sample towards its predicted image, below the noise level `to`, and back up to it with noise. */
  const moveTo = ({ sample, denoised }: StepBuffers, from: number, to: number, noise: Float32Array): void => {
    const { down, up } = ancestralSigmas(from, to);
    const kept = down / from;
    blendInPlace(sample, kept, denoised, 1 - kept);
    blendInPlace(sample, 1, noise, up);
  };

  let start: Float32Array;
  let firstNoise: Float32Array;
  return defineSigmaScheduler(levels, {
    ...atMiddles(levels, middleOf),
    move(step, buffers, noise) {
      const { sample, denoised } = buffers;
      const index = Math.floor(step / 2);
      const from = sigmas[index]!;
      const to = sigmas[index + 1]!;
      const middle = middleOf(index);
      if (to === 0) {
        sample.set(denoised);
      } else if (step % 2 === 0) {
        start = sample.slice();
        firstNoise = drawNoise(sample, noise);
        moveTo(buffers, from, middle, firstNoise);
      } else {
        const fresh = drawNoise(sample, noise);
        // The fraction of the first half in the whole step, which may have length 0.
        const share = from > to ? Math.min(Math.max((from - middle) / (from - to), 0), 1) : 1;
        blendInto(fresh, Math.sqrt(share), firstNoise, Math.sqrt(1 - share), fresh);
        sample.set(start);
        moveTo(buffers, from, to, fresh);
      }
    },
  });
}
