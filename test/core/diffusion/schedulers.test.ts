import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createScheduler } from '../../../src/core/diffusion/schedulers/create-scheduler.ts';

interface Case {
  readonly class: string;
  readonly settings: Readonly<Record<string, unknown>>;
  readonly steps: number;
  readonly imageTokens?: number;
  readonly timesteps: readonly number[];
  readonly initialNoiseScale: number;
  readonly inputScales: readonly number[];
  readonly samples: readonly (readonly number[])[];
}

const { cases } = JSON.parse(readFileSync(new URL('./schedulers.json', import.meta.url), 'utf8')) as {
  cases: readonly Case[];
};

const size = 4;
const wave = (seed: number): Float32Array =>
  Float32Array.from({ length: size }, (_, index) => 1.3 * Math.sin(0.7 * index + 1.9 * seed + 0.3));

/** Largest difference over the largest number. */
function relativeError(actual: ArrayLike<number>, expected: readonly number[]): number {
  const scale = Math.max(...expected.map(Math.abs), 1e-3);
  return Math.max(...expected.map((value, index) => Math.abs(actual[index]! - value))) / scale;
}

describe('schedulers take the steps of diffusers', () => {
  it.each(
    cases.map((golden) => {
      const settings = Object.entries(golden.settings).filter(
        ([name]) => !/^(beta_start|beta_end)$/.test(name),
      );
      const title = settings.map(([name, value]) => `${name}=${String(value)}`).join(' ');
      return [golden.class, golden.steps, golden.imageTokens ?? '', title, golden] as const;
    }),
  )('%s, %i steps %s %s', (_name, _steps, _tokens, _title, golden) => {
    const { steps, imageTokens } = golden;
    const config = { ...golden.settings, _class_name: golden.class };
    const scheduler = createScheduler(config, { steps, imageTokens });
    expect(scheduler.timesteps).toHaveLength(golden.timesteps.length);
    golden.timesteps.forEach((timestep, step) => {
      const difference = Math.abs(scheduler.timesteps[step]! - timestep);
      expect(difference).toBeLessThan(1e-4 * Math.max(50, Math.abs(timestep)));
    });
    expect(relativeError([scheduler.initialNoiseScale], [golden.initialNoiseScale])).toBeLessThan(1e-4);
    const sample = wave(0).map((value) => value * scheduler.initialNoiseScale);
    let drawn = 100;
    golden.samples.forEach((expected, step) => {
      expect(relativeError([scheduler.inputScale(step)], [golden.inputScales[step]!])).toBeLessThan(1e-4);
      scheduler.step(step, sample, wave(step + 1), (out) => out.set(wave(drawn++)));
      expect(relativeError(sample, expected), `step ${step}`).toBeLessThan(1e-4);
    });
  });
});

it('a step of no length stays finite', () => {
  const config = {
    _class_name: 'DPMSolverMultistepScheduler',
    solver_order: 3,
    use_karras_sigmas: true,
    final_sigmas_type: 'sigma_min',
    lower_order_final: false,
  };
  const scheduler = createScheduler(config, { steps: 6 });
  const sample = wave(0);
  let before = sample.slice();
  for (let step = 0; step < 6; step++) {
    before = sample.slice();
    scheduler.step(step, sample, wave(step + 1), () => undefined);
  }
  expect(relativeError(sample, Array.from(before))).toBeLessThan(1e-4);
});

describe('createScheduler', () => {
  it.each<[string, Record<string, unknown>, number, string]>([
    ['no class', {}, 4, '_class_name: expected one of DDIMScheduler'],
    ['an unknown class', { _class_name: 'IPNDMScheduler' }, 4, 'got "IPNDMScheduler"'],
    [
      'a corrector',
      { _class_name: 'SASolverScheduler', corrector_order: 5 },
      4,
      'corrector_order: expected 1, 2, 3 or 4, got 5',
    ],
    ['its noise', { _class_name: 'SASolverScheduler', tau_func: 'one' }, 4, 'tau_func: not supported'],
    [
      'limits of noise',
      { _class_name: 'SASolverScheduler', algorithm_type: 'noise_prediction', thresholding: true },
      4,
      'thresholding: expected it to be off beside algorithm_type noise_prediction',
    ],
    ['no steps', { _class_name: 'DDIMScheduler' }, 0, 'steps: expected an integer of at least 1, got 0'],
    ['more steps than trained', { _class_name: 'DDIMScheduler' }, 1001, 'steps: expected at most 1000'],
    ['more steps than distilled', { _class_name: 'LCMScheduler' }, 51, 'steps: expected at most 50'],
    ['a schedule', { _class_name: 'DDIMScheduler', beta_schedule: 'sigmoid' }, 4, 'beta_schedule'],
    ['a wrong type', { _class_name: 'DDIMScheduler', beta_start: '1' }, 4, 'beta_start: expected a number'],
    ['thresholding', { _class_name: 'TCDScheduler', thresholding: true }, 4, 'thresholding: not supported'],
    [
      'a quantile',
      { _class_name: 'DDIMScheduler', thresholding: true, dynamic_thresholding_ratio: 2 },
      4,
      'dynamic_thresholding_ratio: expected a number from 0 to 1, got 2',
    ],
    [
      'an order of DEIS',
      { _class_name: 'DEISMultistepScheduler', solver_order: 4 },
      4,
      'solver_order: expected 1, 2',
    ],
    [
      'a solver',
      {
        _class_name: 'DPMSolverSinglestepScheduler',
        solver_order: 3,
        solver_type: 'heun',
        algorithm_type: 'sde-dpmsolver++',
      },
      6,
      'solver_type: expected midpoint beside solver_order 3 of sde-dpmsolver++',
    ],
    [
      'an end without noise',
      { _class_name: 'DPMSolverMultistepScheduler', algorithm_type: 'dpmsolver' },
      6,
      'final_sigmas_type: expected sigma_min beside algorithm_type dpmsolver, got zero',
    ],
    [
      'the older solver in single steps',
      { _class_name: 'DPMSolverSinglestepScheduler', algorithm_type: 'dpmsolver' },
      6,
      'algorithm_type: expected one of dpmsolver++, sde-dpmsolver++, got "dpmsolver"',
    ],
    [
      'a variance that the model predicts',
      { _class_name: 'DDPMScheduler', variance_type: 'learned_range' },
      6,
      'variance_type: expected one of fixed_small, fixed_small_log, fixed_large, got "learned_range"',
    ],
    [
      'a size',
      { _class_name: 'FlowMatchEulerDiscreteScheduler', use_dynamic_shifting: true },
      4,
      'imageTokens',
    ],
    [
      'two distributions',
      { _class_name: 'HeunDiscreteScheduler', use_karras_sigmas: true, use_beta_sigmas: true },
      4,
      'use_beta_sigmas: expected it to be off beside use_karras_sigmas',
    ],
    [
      'an order',
      { _class_name: 'UniPCMultistepScheduler', solver_order: 4 },
      4,
      'solver_order: expected 1, 2',
    ],
    ['noise', { _class_name: 'UniPCMultistepScheduler', predict_x0: false }, 4, 'predict_x0: expected true'],
    [
      'a flow',
      { _class_name: 'UniPCMultistepScheduler', use_flow_sigmas: true },
      4,
      'use_flow_sigmas: expected',
    ],
    ['images', { _class_name: 'DPMSolverSDEScheduler', prediction_type: 'sample' }, 4, 'prediction_type'],
    ['an offset', { _class_name: 'DDIMScheduler', steps_offset: 600 }, 2, 'steps_offset: timestep 1100'],
    ['too few for Runge-Kutta', { _class_name: 'PNDMScheduler' }, 3, 'steps: expected at least 4'],
  ])('says what is wrong with %s', (_, config, steps, message) => {
    expect(() => {
      const scheduler = createScheduler(config, { steps });
      scheduler.step(0, wave(0), wave(1), () => undefined);
    }).toThrow(message);
  });
});
