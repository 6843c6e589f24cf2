import { exponentialIntegral, lagrangeBasis } from '../../math/numeric.ts';
import { blendInPlace, blendInto } from './blend.ts';
import type { ConfigReader } from './config.ts';
import { fewSteps, readOrder, readMultistep } from './multistep-sigmas.ts';
import { defineScheduler, type Scheduler } from './scheduler.ts';

/**
 * Diffusion exponential integrator sampler of order 1 to 3: a polynomial in ln ρ through the last predictions of the noise
 * is integrated over the step, ρ being noise over signal. Zhang and Chen 2022, section 3.3, log ρ.
 */
export function createDeis(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['use_dynamic_shifting', 'rescale_betas_zero_snr']);
  // Configs of other multistep solvers stand for these.
  config.choice('algorithm_type', ['deis', 'dpmsolver', 'dpmsolver++'], 'deis');
  config.choice('solver_type', ['logrho', 'midpoint', 'heun', 'bh1', 'bh2'], 'logrho');
  const most = readOrder(config, 'solver_order', [1, 2, 3]);
  const { levels, timesteps, denoisedInto } = readMultistep(config, steps, {
    roundsKarras: true,
    endsAtSmallest: true,
  });
  const lowersOrder = config.flag('lower_order_final', true) && timesteps.length < fewSteps;
  /** Predictions of the noise, newest first. */
  let noises: Float32Array[] = [];
  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, output, denoised }) {
      const [from, to] = [levels[step]!, levels[step + 1]!];
      blendInto(output, 1 / from.sigma, sample, -from.alpha / from.sigma, denoised);
      noises = [output.slice(), ...noises].slice(0, most);
      const order = Math.min(noises.length, lowersOrder ? timesteps.length - step : most);
      // ln ρ = −λ, counted from the start of the step.
      const nodes = noises.slice(0, order).map((_, age) => from.lambda - levels[step - age]!.lambda);
      const ratio = from.sigma / from.alpha;
      const end = from.lambda - to.lambda;
      blendInPlace(sample, to.alpha / from.alpha, output, 0);
      for (const [age, polynomial] of lagrangeBasis(nodes).entries())
        blendInPlace(sample, 1, noises[age]!, to.alpha * ratio * exponentialIntegral(polynomial, 0, end));
    },
  });
}
