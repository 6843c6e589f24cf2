import { guideInPlace } from '../../../../core/diffusion/guidance.ts';
import type { Limiter } from '../../../../concurrency/limit-concurrency.ts';
import type { NoiseSource, Scheduler } from '../../../../core/diffusion/schedulers/scheduler.ts';
import type { Predict } from './denoiser.ts';

export interface DenoiseOptions {
  readonly predict: Predict;
  /** Scale of classifier-free guidance; without effect with one conditioning. */
  readonly guidanceScale: number;
  readonly scheduler: Scheduler;
  /** Makes the first sample, then what the scheduler adds. */
  readonly noise: NoiseSource;
  /** Runs each prediction; what it throws ends the work. */
  readonly inTurn: Limiter;
}

/**
 * Turns noise into latents.
 * @returns after each step, the latents without noise as they look by then, valid until the next
 */
export async function* denoise(
  latents: Float32Array,
  { predict, guidanceScale, scheduler, noise, inTurn }: DenoiseOptions,
): AsyncGenerator<Float32Array> {
  const sample = new Float32Array(latents.length);
  noise(latents);
  scaleInto(latents, latents, scheduler.initialNoiseScale);
  for (const [step, timestep] of scheduler.timesteps.entries()) {
    scaleInto(sample, latents, scheduler.inputScale(step));
    const [prompted, unprompted] = await inTurn(() => predict(sample, timestep));
    if (unprompted) guideInPlace(prompted!, unprompted, guidanceScale);
    yield scheduler.step(step, latents, prompted!, noise);
  }
}

function scaleInto(out: Float32Array, values: Float32Array, factor: number): void {
  for (let index = 0; index < values.length; index++) out[index] = values[index]! * factor;
}
