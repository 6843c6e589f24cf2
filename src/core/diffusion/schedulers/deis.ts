import type { ConfigReader } from './config.ts';
import { fewSteps, readOrder, readMultistep } from './multistep-sigmas.ts';
import { createAdams } from './sa-solver.ts';
import type { Scheduler } from './scheduler.ts';

/**
 * Diffusion exponential integrator sampler of order 1 to 3: integrates a polynomial in ln ρ through the last noise
 * predictions over the step, where ρ is noise over signal. Zhang and Chen 2022, section 3.3, log ρ.
 */
export function createDeis(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['use_dynamic_shifting', 'rescale_betas_zero_snr']);
  // The reference accepts the values of other multistep solvers as synonyms.
  config.choice('algorithm_type', ['deis', 'dpmsolver', 'dpmsolver++'], 'deis');
  config.choice('solver_type', ['logrho', 'midpoint', 'heun', 'bh1', 'bh2'], 'logrho');
  const predictorOrder = readOrder(config, 'solver_order', [1, 2, 3]);
  const multistep = readMultistep(config, steps, { roundsKarras: true, endsAtSmallest: true });
  const lowersOrder = config.flag('lower_order_final', true) && multistep.timesteps.length < fewSteps;
  return createAdams(multistep, { ofImages: false, predictorOrder, lowersOrder });
}
