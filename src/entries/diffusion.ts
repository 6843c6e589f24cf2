export { describeImage, type ImageDescription } from '../core/diffusion/describe-image.ts';
export { createGaussianNoise } from '../core/diffusion/gaussian-noise.ts';
export { guidanceEmbedding } from '../core/diffusion/guidance.ts';
export { guideInPlace } from '../core/diffusion/guidance.ts';
export { scaleLatents, shrinkGrid, toRgb, type LatentScaling } from '../core/diffusion/latents.ts';
export { countWindows, toWindows, type WindowFrame } from '../core/diffusion/prompt-windows.ts';
export type { SchedulerConfig } from '../core/diffusion/schedulers/config.ts';
export { createScheduler, type SchedulerOptions } from '../core/diffusion/schedulers/create-scheduler.ts';
export type { NoiseSource, Scheduler } from '../core/diffusion/schedulers/scheduler.ts';
export {
  addTile,
  cutTile,
  planTiles,
  tileWeights,
  type TileOptions,
  type TilePlacement,
  type TilePlan,
} from '../core/diffusion/tiles.ts';
export type { Size } from '../core/vision/box.ts';
export { addPngText } from '../core/vision/png-text.ts';
