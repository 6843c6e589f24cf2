import { z } from 'zod';
import { imageParameters, maxImagePromptCharacters } from '../parameters.ts';
import { parameterShape, flagField, textField } from '../../../validation/parameter-schema.ts';
import { describeValue } from '../../../core/text/quote.ts';
import { needs } from '../../../validation/json-schema.ts';
import type { Descriptions } from '../../../validation/describe-fields.ts';

const { width, height } = imageParameters;
const sizePattern = /^(\d{1,5})x(\d{1,5})$/;
/** The service chooses the size. */
const automaticSize = 'auto';
const maxPartialImages = 3;

/** `"512x768"` → width and height in pixels; `undefined` for `auto`. */
export function parseSize(size: string): { width: number; height: number } | undefined {
  const [, across, down] = sizePattern.exec(size) ?? [];
  return across === undefined ? undefined : { width: Number(across), height: Number(down) };
}

const text = z.string().max(maxImagePromptCharacters);

const sizeSchema = z
  .string()
  .superRefine((value, context) => {
    const fault = faultOf(value);
    if (fault !== undefined) context.addIssue({ code: 'custom', message: fault });
  })
  .meta({ pattern: '^(?:auto|\\d{1,5}x\\d{1,5})$' })
  .nullish()
  .meta({
    description:
      'Width and height as `512x768`, with the same bounds; `auto` is the default. Must equal `width` and `height` if they are set.',
  });

function faultOf(size: string): string | undefined {
  if (size === automaticSize) return undefined;
  const parsed = parseSize(size);
  if (!parsed) return `expected a width and a height such as "1024x1024", got ${describeValue(size)}`;
  for (const [name, pixels, { min, max, step }] of [
    ['width', parsed.width, width],
    ['height', parsed.height, height],
  ] as const) {
    if (pixels >= min && pixels <= max && pixels % step === 0) continue;
    return `expected a ${name} from ${min} to ${max} that is a multiple of ${step}, got ${describeValue(size)}`;
  }
  return undefined;
}

/** The body of an image generation request. Unlisted fields are ignored or rejected first. */
export const imageRequestSchema = z
  .object({
    prompt: text.min(1).meta({
      description: 'Description of the image.',
    }),
    model: textField('Id of an image model; default, also if empty: the first one.'),
    size: sizeSchema,
    response_format: z
      .literal('b64_json')
      .nullish()
      .meta({ description: 'How images are returned.', default: 'b64_json' }),
    stream: flagField('Answer with server-sent events.', false),
    stream_options: z
      .object({
        include_progress: flagField('Also send an event for steps without a preview image.', false),
      })
      .nullish(),
    partial_images: z.int().min(0).max(maxPartialImages).nullish().meta({
      description: 'With `stream`: number of preview images per image; default: one for every step.',
    }),
    ...parameterShape(imageParameters),
    negative_prompt: text.nullish().meta({
      description: imageParameters.negativePrompt.description,
      default: imageParameters.negativePrompt.default,
    }),
  })
  .meta({
    allOf: [
      needs(['stream_options', { type: 'object' }], { stream: { const: true } }),
      needs(['partial_images', { type: 'integer', minimum: 1 }], { stream: { const: true } }),
    ],
  });

/** A validated body of `POST /images/generations`. */
export type ImageRequestBody = z.infer<typeof imageRequestSchema>;

const base64Png = z.string().meta({
  contentEncoding: 'base64',
  contentMediaType: 'image/png',
  description: 'A PNG; its text chunk `parameters` has the parameters.',
});
const seed = z.int().meta({ description: 'The seed of this image.' });

/** The body of an answer. */
export const imageResponseSchema = z.object({
  created: z.int().meta({ description: 'Unix time in seconds.' }),
  data: z.array(z.object({ b64_json: base64Png, seed })),
});

/** The body of an answer. */
export type ImageResponse = z.infer<typeof imageResponseSchema>;

const place = {
  created_at: z.int().meta({ description: 'Unix time in seconds.' }),
  image_index: z.int().meta({ description: 'Counts the images from 0.' }),
};
const progress = {
  ...place,
  step: z.int().meta({ description: 'Counts from 1 to `steps`.' }),
  steps: z.int(),
};
const look = {
  size: z.string().meta({ description: 'Size of the image, as `512x768`.' }),
  output_format: z.literal('png'),
  background: z.literal('opaque'),
  quality: z.literal('auto'),
};
const noTokens = z.literal(0);

/** One event of a streamed answer. */
export const imageEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('image_generation.progress'), ...progress }),
  z.object({
    type: z.literal('image_generation.partial_image'),
    b64_json: z.string().meta({ contentEncoding: 'base64', description: 'A small PNG.' }),
    partial_image_index: z.int().meta({ description: 'Counts the partial images of an image from 0.' }),
    ...progress,
    ...look,
  }),
  z.object({
    type: z.literal('image_generation.completed'),
    b64_json: base64Png,
    seed,
    ...place,
    ...look,
    usage: z
      .object({
        input_tokens: noTokens,
        input_tokens_details: z.object({ image_tokens: noTokens, text_tokens: noTokens }),
        output_tokens: noTokens,
        total_tokens: noTokens,
      })
      .meta({ description: 'Images are counted by request, not in tokens.' }),
  }),
]);

/** One event of a streamed answer. */
export type ImageStreamEvent = z.infer<typeof imageEventSchema>;

export const imageDescriptions: Descriptions = {
  stream_options: 'Settings of a stream; only with `stream`.',
  data: 'The images, `n` in number.',
  'ImageEvent.type': 'Kind of the event.',
  steps: 'Number of steps of an image.',
  output_format: 'Format of the picture.',
  background: 'Images have no transparency.',
  quality: 'There is only one quality: `steps` sets it.',
  input_tokens: 'Always 0.',
  input_tokens_details: 'Parts of `input_tokens`.',
  output_tokens: 'Always 0.',
  total_tokens: 'Always 0.',
  image_tokens: 'Always 0.',
  text_tokens: 'Always 0.',
};
