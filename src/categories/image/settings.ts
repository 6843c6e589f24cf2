import {
  booleanSetting,
  integerSetting,
  type SettingsOf,
  type SettingTable,
} from '../../validation/setting-table.ts';
import type { ModelOptions } from '../../contracts/model.ts';
import { describing, type Describe } from '../settings.ts';

export const imageSettings = {
  isDistilled: booleanSetting(
    'The model needs no guidance, like Turbo models; default: from its files, else false.',
  ),
  maxPixels: integerSetting("Images with more pixels are rejected; default: only the API's limit."),
} satisfies SettingTable;

export type ImageSettings = SettingsOf<typeof imageSettings>;

/** Settings of an image model and its limits. */
export type ImageOptions = Omit<ModelOptions<ImageSettings>, 'category'>;

/**
 * Describes an image generation model for `createInference`: Stable Diffusion or a derivative in diffusers' ONNX layout.
 *
 * @example
 * ```ts
 * createInference({ models: { painter: image({ source: './models/sd-turbo', threads: 4 }) } });
 * ```
 */
export const image: Describe<ImageSettings, 'image'> = describing('image');
