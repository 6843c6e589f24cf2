import type { Architecture } from '../../contracts/architecture.ts';
import { stableDiffusion } from './architectures/stable-diffusion/architecture.ts';
import type { Painter } from './painter.ts';
import type { ImageSettings } from './settings.ts';

export const painters: readonly Architecture<Painter, ImageSettings>[] = [stableDiffusion];
