import type { CategoryModels } from '../../contracts/category.ts';
import type { Architecture } from '../../contracts/architecture.ts';
import { stableDiffusion } from './architectures/stable-diffusion/architecture.ts';
import type { Painter } from './painter.ts';
import type { ImageSettings } from './settings.ts';

const painters: readonly Architecture<Painter, ImageSettings>[] = [stableDiffusion];

export const imageModels = {
  name: 'image',
  architectures: painters,
  isStateless: true,
} satisfies CategoryModels<'image'>;
