import { imageParameters } from '../parameters.ts';
import { fieldError } from '../../../errors.ts';
import type { ImageRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { imageRequestSchema, parseSize, type ImageRequestBody } from './schema.ts';
import { assertNoneOf } from '../../../validation/unsupported.ts';
import { unsupportedFields } from './unsupported.ts';

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
  assertNoneOf(unsupportedFields, body);
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
