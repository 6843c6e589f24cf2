import type { Architecture } from '../../../../contracts/architecture.ts';
import type { Painter } from '../../painter.ts';
import type { ImageSettings } from '../../settings.ts';
import { diffusionFiles } from './files.ts';

/** Stable Diffusion 1, 2, 3 and XL and their derivatives, in diffusers' layout. */
export const stableDiffusion: Architecture<Painter, ImageSettings> = {
  name: 'stable-diffusion',
  // Recognized by `model_index.json`, not by a config.
  modelTypes: [],
  recognize: ({ files }) => files.some(({ path }) => path === 'model_index.json'),
  isDefault: true,
  files: diffusionFiles,
  open: async (spec, sessions) => (await import('./stable-diffusion.ts')).openStableDiffusion(spec, sessions),
};
