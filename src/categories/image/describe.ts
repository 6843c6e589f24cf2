import type { ModelOptions } from '../../contracts/model.ts';
import type { ImageSettings } from './settings.ts';

/** Settings of an image model and its limits. */
export type ImageOptions = Omit<ModelOptions<ImageSettings>, 'category'>;

/**
 * Describes an image generation model: Stable Diffusion or a relative in diffusers' ONNX layout, for `createInference`.
 *
 * @example
 * ```ts
 * createInference({ models: { painter: image({ source: './models/sd-turbo', threads: 4 }) } });
 * ```
 */
export function image(options: ImageOptions): ModelOptions<ImageSettings> & { readonly category: 'image' } {
  return { ...options, category: 'image' };
}
