import { notOffered, type UnsupportedFields } from '../../../validation/unsupported.ts';

const isOneOf =
  (...values: readonly unknown[]) =>
  (value: unknown): boolean =>
    values.includes(value);

/** Fields of this wire format and of well-known servers that would change the answer, and that are not honoured. */
export const unsupportedFields: UnsupportedFields = {
  response_format: {
    harmless: (value) => value !== 'url',
    advice: 'images are sent in the answer, as `b64_json`',
  },
  quality: { harmless: isOneOf('auto', 'standard'), advice: 'use `num_inference_steps`' },
  style: { harmless: isOneOf('vivid'), advice: 'say it in the `prompt`' },
  background: { harmless: isOneOf('auto', 'opaque'), advice: 'images are opaque' },
  output_format: { harmless: isOneOf('png'), advice: 'images are PNG' },
  output_compression: { harmless: isOneOf(100), advice: 'images are PNG, which loses nothing' },
  moderation: { harmless: isOneOf('auto', 'low') },
  steps: { advice: 'use `num_inference_steps`' },
  cfg_scale: { advice: 'use `guidance_scale`' },
  guidance: { advice: 'use `guidance_scale`' },
  num_images: { advice: 'use `n`' },
  num_images_per_prompt: { advice: 'use `n`' },
  batch_size: { advice: 'use `n`' },
  aspect_ratio: { advice: 'use `width` and `height`' },
  image_size: { advice: 'use `size`' },
  resolution: { advice: 'use `size`' },
  sampler: { advice: 'the model brings its scheduler' },
  sampler_name: { advice: 'the model brings its scheduler' },
  scheduler: { advice: 'the model brings its scheduler' },
  prompt_2: { advice: 'every text encoder reads `prompt`' },
  prompt_3: { advice: 'every text encoder reads `prompt`' },
  negative_prompt_2: { advice: 'every text encoder reads `negative_prompt`' },
  negative_prompt_3: { advice: 'every text encoder reads `negative_prompt`' },
  image: notOffered,
  images: notOffered,
  image_url: notOffered,
  init_image: notOffered,
  mask: notOffered,
  mask_image: notOffered,
  strength: notOffered,
  control_image: notOffered,
  lora: notOffered,
  loras: notOffered,
  image_loras: notOffered,
  clip_skip: notOffered,
  guidance_rescale: { harmless: isOneOf(0) },
  eta: { harmless: isOneOf(0) },
  subseed: notOffered,
  variation_seed: notOffered,
  tiling: { harmless: isOneOf(false) },
  restore_faces: { harmless: isOneOf(false) },
  enable_hr: { harmless: isOneOf(false) },
  upscale: { harmless: isOneOf(false) },
};
