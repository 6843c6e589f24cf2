import { blendInPlace } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { ancestralSigmas, defineSigmaScheduler, readSigmas, type SigmaLevels } from './noise-levels.ts';
import { drawNoise, type Scheduler } from './scheduler.ts';

/** Euler's method on the noise level σ for samples image + σ · noise. Karras et al. 2022, algorithm 2 without churn. */
export function createEuler(config: ConfigReader, steps: number): Scheduler {
  config.choice('interpolation_type', ['linear'], 'linear');
  return takeSteps(readSigmas(config, steps), (_, to) => ({ down: to, up: 0 }));
}

/** Euler's method to a lower noise level, then fresh noise up to the target level. */
export function createEulerAncestral(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['use_karras_sigmas', 'use_exponential_sigmas', 'use_beta_sigmas']);
  return takeSteps(readSigmas(config, steps, { types: ['epsilon', 'v_prediction'] }), ancestralSigmas);
}

function takeSteps(levels: SigmaLevels, split: typeof ancestralSigmas): Scheduler {
  return defineSigmaScheduler(levels, {
    move(step, { sample, denoised }, noise) {
      const from = levels.sigmas[step]!;
      const { down, up } = split(from, levels.sigmas[step + 1]!);
      const move = (down - from) / from;
      blendInPlace(sample, 1 + move, denoised, -move);
      if (up > 0) blendInPlace(sample, 1, drawNoise(sample, noise), up);
    },
  });
}
