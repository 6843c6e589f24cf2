import { imageParameters } from '../parameters.ts';
import { fieldError } from '../../../errors.ts';
import type { ImageRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { imageRequestSchema, parseSize, type ImageRequestBody } from './schema.ts';
import {
  harmless,
  ignoredFields,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../validation/foreign-fields.ts';

/** Fields of this wire format and of well-known servers that would change the answer, and that are not honored. */
export const imageForeignFields: ForeignFields = {
  ...ignoredFields('user safety_checker enable_safety_checker sync_mode'),
  response_format: {
    harmless: (value) => value !== 'url',
    advice: 'images are sent in the answer, as `b64_json`',
  },
  quality: { ...harmless('auto', 'standard'), advice: 'use `num_inference_steps`' },
  style: { ...harmless('vivid'), advice: 'say it in the `prompt`' },
  background: { ...harmless('auto', 'opaque'), advice: 'images are opaque' },
  output_format: { ...harmless('png'), advice: 'images are PNG' },
  output_compression: { ...harmless(100), advice: 'images are PNG, which loses nothing' },
  moderation: harmless('auto', 'low'),
  steps: { as: 'num_inference_steps' },
  cfg_scale: { as: 'guidance_scale' },
  guidance: { as: 'guidance_scale' },
  num_images: { as: 'n' },
  num_images_per_prompt: { as: 'n' },
  batch_size: { as: 'n' },
  aspect_ratio: { advice: 'use `width` and `height`' },
  image_size: { as: 'size' },
  resolution: { as: 'size' },
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
  guidance_rescale: harmless(0),
  eta: harmless(0),
  subseed: notOffered,
  variation_seed: notOffered,
  tiling: harmless(false),
  restore_faces: harmless(false),
  enable_hr: harmless(false),
  upscale: harmless(false),
};

/** The parsed request; the service chooses a model where it names none. */
export interface ImageCall {
  readonly model: string | undefined;
  readonly request: Omit<ImageRequestInput, 'model'>;
  readonly stream: boolean;
  /** Partial images of each image; `undefined` for one at every step. */
  readonly partialImages: number | undefined;
  /** Whether steps without a picture emit an event, too. */
  readonly includeProgress: boolean;
}

const readParameters = parameterReader(imageParameters);

/**
 * A request body of `POST /images/generations` → what the inference takes.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the field at fault as `param`
 *
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
    throw fieldError('partial_images', 'expected `stream` to be true where it is given');
  if (!stream && parsed.stream_options)
    throw fieldError('stream_options', 'expected `stream` to be true where it is given');
  return {
    // The API's default for the model is an empty text.
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
