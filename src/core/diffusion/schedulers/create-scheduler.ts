import { assertNames } from '../../assert-names.ts';
import { assertCount, assertObject } from '../../assert-values.ts';
import { type ConfigReader, readConfig, type SchedulerConfig } from './config.ts';
import { createDdim } from './ddim.ts';
import { createDdpm } from './ddpm.ts';
import { createDeis } from './deis.ts';
import { createDpmSinglestep } from './dpm-singlestep.ts';
import { createDpmSde } from './dpm-sde.ts';
import { createDpmSolver } from './dpm-solver.ts';
import { createEuler, createEulerAncestral } from './euler.ts';
import { createFlowMatchEuler } from './flow-match-euler.ts';
import { createHeun } from './heun.ts';
import { createKdpm2, createKdpm2Ancestral } from './kdpm2.ts';
import { createLcm } from './lcm.ts';
import { createLms } from './lms.ts';
import { createPndm } from './pndm.ts';
import { createSaSolver } from './sa-solver.ts';
import type { Scheduler } from './scheduler.ts';
import { createTcd } from './tcd.ts';
import { createUniPc } from './unipc.ts';

/** Number of steps of a scheduler, and its latents. */
export interface SchedulerOptions {
  /** At least 1. */
  readonly steps: number;
  /** Latent patches that the transformer reads; required by `use_dynamic_shifting`. */
  readonly imageTokens?: number | undefined;
}

/** By the class names in configs. */
const creators = {
  DDIMScheduler: createDdim,
  DDPMScheduler: createDdpm,
  DEISMultistepScheduler: createDeis,
  DPMSolverMultistepScheduler: createDpmSolver,
  DPMSolverSDEScheduler: createDpmSde,
  DPMSolverSinglestepScheduler: createDpmSinglestep,
  EulerAncestralDiscreteScheduler: createEulerAncestral,
  EulerDiscreteScheduler: createEuler,
  FlowMatchEulerDiscreteScheduler: createFlowMatchEuler,
  HeunDiscreteScheduler: createHeun,
  KDPM2AncestralDiscreteScheduler: createKdpm2Ancestral,
  KDPM2DiscreteScheduler: createKdpm2,
  LCMScheduler: createLcm,
  LMSDiscreteScheduler: createLms,
  PNDMScheduler: createPndm,
  SASolverScheduler: createSaSolver,
  TCDScheduler: createTcd,
  UniPCMultistepScheduler: createUniPc,
} satisfies Readonly<
  Record<string, (config: ConfigReader, steps: number, imageTokens: number | undefined) => Scheduler>
>;

/**
 * Creates the scheduler of a model's `scheduler_config.json`, for one image.
 *
 * @throws TypeError or RangeError that names the setting: an unknown class, an invalid or unsupported setting, or an
 * invalid number of steps
 *
 * @example
 * ```ts
 * const scheduler = createScheduler({ _class_name: 'EulerDiscreteScheduler', beta_schedule: 'scaled_linear' }, { steps: 4 });
 * scheduler.timesteps; // [999, 666, 333, 0]
 * ```
 */
export function createScheduler(config: SchedulerConfig, options: SchedulerOptions): Scheduler {
  assertNames('createScheduler', options, ['steps', 'imageTokens']);
  const { steps, imageTokens } = options;
  if (!Number.isInteger(steps) || steps < 1)
    throw new RangeError(`steps: expected an integer of at least 1, got ${steps}`);
  if (imageTokens !== undefined) assertCount('imageTokens', imageTokens, { min: 1 });
  assertObject('config', config);
  const reader = readConfig(config);
  const names = Object.keys(creators) as (keyof typeof creators)[];
  if (config['_class_name'] === undefined)
    throw new TypeError(`_class_name: expected one of ${names.join(', ')}, got none`);
  return creators[reader.choice('_class_name', names, 'EulerDiscreteScheduler')](reader, steps, imageTokens);
}
