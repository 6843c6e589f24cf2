export { createGaussianNoise } from '../core/diffusion/gaussian-noise.ts';
export { guideInPlace } from '../core/diffusion/guidance.ts';
export type { SchedulerConfig } from '../core/diffusion/schedulers/config.ts';
export { createScheduler, type SchedulerOptions } from '../core/diffusion/schedulers/create-scheduler.ts';
export type { NoiseSource, Scheduler } from '../core/diffusion/schedulers/scheduler.ts';
