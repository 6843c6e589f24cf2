import type { ConfigReader } from './config.ts';
import { takeDpmStep } from './dpm-solver.ts';
import { readOrder, readMultistep } from './multistep-sigmas.ts';
import { defineScheduler, type Scheduler } from './scheduler.ts';

/**
 * DPM-Solver++ of order 1 to 3 (2S, 3S): a group of one, two or three steps begins at the same sample, each step with
 * the outputs of the previous ones. Lu et al. 2022, algorithm 1, and its stochastic form.
 */
export function createDpmSinglestep(config: ConfigReader, steps: number): Scheduler {
  config.refuse(['use_dynamic_shifting', 'variance_type', 'rescale_betas_zero_snr']);
  config.choice('timestep_spacing', ['linspace'], 'linspace');
  const algorithm = config.choice('algorithm_type', ['dpmsolver++', 'sde-dpmsolver++'], 'dpmsolver++');
  const heun = config.choice('solver_type', ['midpoint', 'heun'], 'midpoint') === 'heun';
  const most = readOrder(config, 'solver_order', [1, 2, 3]);
  if (heun && most === 3 && algorithm === 'sde-dpmsolver++')
    throw new RangeError('solver_type: expected midpoint beside solver_order 3 of sde-dpmsolver++, got heun');
  const { levels, timesteps, denoisedInto } = readMultistep(config, steps, {
    roundsKarras: true,
    smallestLambda: config.number('lambda_min_clipped', -Infinity),
  });
  /** The order of each step: 1, 2, 3, 1, 2, 3, …; the last one is lower if stability requires it. */
  const orders = Array.from({ length: steps }, (_, step) => (step % most) + 1);
  const lowersFinal = config.flag('lower_order_final', false) && steps % most === 0;
  if (lowersFinal || levels.at(-1)!.sigma === 0) orders[steps - 1] = 1;
  const stochastic = algorithm === 'sde-dpmsolver++';
  /** Outputs since `start`, oldest first. */
  let outputs: Float32Array[] = [];
  let start: Float32Array;
  return defineScheduler({
    timesteps,
    denoisedInto,
    move(step, { sample, denoised }, noise) {
      const order = orders[step]!;
      if (order === 1) {
        start = sample.slice();
        outputs = [];
      }
      outputs.push(denoised.slice());
      sample.set(start);
      const first = step - order + 1;
      const known = outputs
        .map((output, index) => ({ output, level: levels[first + index]! }))
        .filter((_, index) => heun || index === 0 || index === order - 1)
        .filter(({ level }, index, all) => all.findIndex((one) => one.level === level) === index);
      takeDpmStep(
        sample,
        {
          from: levels[first]!,
          to: levels[step + 1]!,
          known,
          stochastic,
          ofNoise: false,
          takesSlope: heun || order === 3,
          bend: 2,
        },
        noise,
      );
    },
  });
}
