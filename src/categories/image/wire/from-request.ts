import { imageParameters } from '../parameters.ts';
import { fieldError } from '../../../errors.ts';
import type { ImageRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/request-table.ts';
import { imageRequestSchema, parseSize, type ImageRequestBody } from './schema.ts';
import {
  each,
  harmless,
  ignoredFields,
  readForeign,
  type ForeignFields,
} from '../../../validation/foreign-fields.ts';

/** Unsupported fields of OpenAI's API and popular servers. */
export const imageForeignFields: ForeignFields = {
  ...ignoredFields('user safety_checker enable_safety_checker disable_safety_checker sync_mode'),
  response_format: {
    harmless: (value) => value !== 'url',
    advice: 'images are returned in the response, as `b64_json`',
  },
  quality: { ...harmless('auto', 'standard'), advice: 'use `num_inference_steps`' },
  style: { ...harmless('vivid'), advice: 'describe it in the `prompt`' },
  background: { ...harmless('auto', 'opaque'), advice: 'images are opaque' },
  output_format: { ...harmless('png'), advice: 'images are PNG' },
  output_compression: { ...harmless(100), advice: 'images are PNG, which is lossless' },
  moderation: harmless('auto', 'low'),
  ...each('steps step sample_steps num_steps', { as: 'num_inference_steps' }),
  ...each('cfg_scale guidance', { as: 'guidance_scale' }),
  true_cfg_scale: { advice: 'use `guidance_scale`' },
  ...each('num_images num_images_per_prompt batch_size num_outputs num_outputs_per_prompt samples n_iter', {
    as: 'n',
  }),
  random_seed: { as: 'seed' },
  aspect_ratio: { advice: 'use `width` and `height`' },
  ...each('image_size resolution', { as: 'size' }),
  ...each('sampler sampler_name scheduler', { advice: 'the model brings its scheduler' }),
  ...each('prompt_2 prompt_3', { advice: 'every text encoder reads `prompt`' }),
  ...each('negative_prompt_2 negative_prompt_3', { advice: 'every text encoder reads `negative_prompt`' }),
  ...each(
    'image images image_url init_image init_images ref_images denoising_strength mask mask_image strength control_image lora loras ' +
      'image_loras clip_skip',
  ),
  ...each('guidance_rescale eta', harmless(0)),
  ...each('subseed variation_seed'),
  ...each('tiling restore_faces enable_hr upscale', harmless(false)),
};

/** The parsed request; without `model`, the service chooses one. */
export interface ImageCall {
  readonly model: string | undefined;
  readonly request: Omit<ImageRequestInput, 'model'>;
  readonly stream: boolean;
  /** Partial images per image; `undefined` for one at every step. */
  readonly partialImages: number | undefined;
  /** Emit an event for steps without a picture too. */
  readonly includeProgress: boolean;
}

const readParameters = parameterReader(imageParameters);

/**
 * A request body of `POST /images/generations` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the invalid field as `param`
 * @example
 * ```ts
 * fromImageRequest({ prompt: 'a red circle', size: '512x768' }).request.height; // 768
 * ```
 */
export function fromImageRequest(body: unknown): ImageCall {
  return readForeign(imageForeignFields, body, readImageRequest);
}

function readImageRequest(body: unknown): ImageCall {
  const parsed = parseBody(imageRequestSchema, body);
  const stream = parsed.stream ?? false;
  const partialImages = parsed.partial_images ?? undefined;
  if (!stream && partialImages)
    throw fieldError('partial_images', 'expected `stream` to be true if it is set');
  if (!stream && parsed.stream_options)
    throw fieldError('stream_options', 'expected `stream` to be true if it is set');
  return {
    // OpenAI's clients send an empty text by default.
    model: parsed.model || undefined,
    request: {
      ...readParameters(parsed),
      ...sizeOf(parsed),
      prompt: parsed.prompt,
      previews: stream && partialImages !== 0,
    },
    stream,
    partialImages,
    includeProgress: parsed.stream_options?.include_progress ?? false,
  };
}

function sizeOf({ size, width, height }: ImageRequestBody): { width?: number; height?: number } {
  const parsed = parseSize(size ?? '');
  if (!parsed) return {};
  if ((width ?? parsed.width) === parsed.width && (height ?? parsed.height) === parsed.height) return parsed;
  const other = `width ${width ?? 'left out'} and height ${height ?? 'left out'}`;
  throw fieldError('size', `expected the same as width and height, got ${size} and ${other}`);
}
