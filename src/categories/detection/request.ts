import { fieldError } from '../../errors.ts';
import { detectionParameters, type DetectionParameters } from './parameters.ts';

import { z } from 'zod';
import { assertRequest, requestTable } from '../../validation/assert-request.ts';
import { resolveRequestParameters } from '../../validation/request-parameters.ts';
import { expecting } from '../../validation/expecting.ts';

/** A complete detection request, as `completeDetectionRequest` leaves it. */
export interface DetectionRequest extends Pick<DetectionParameters, 'confidence' | 'maxDetections'> {
  readonly model: string;
  /** An http or https URL, a `data:` URL, base64, or the bytes of a file. */
  readonly image: string | Uint8Array;
  /** Names or ids of classes, separated by commas; `undefined` for all. */
  readonly classes: string | undefined;
  /** `undefined` where the caller leaves it to the model whether boxes are suppressed. */
  readonly iouThreshold: number | undefined;
  /** `undefined` for the model's own. */
  readonly imageSize: number | undefined;
}

/** A detection request as a caller writes it: only `model` and `image` are needed. */
export interface DetectionRequestInput extends Partial<DetectionParameters> {
  readonly model: string;
  /** An http or https URL, a `data:` URL, base64 or the bytes of a JPEG, PNG, WebP, GIF, AVIF or TIFF. */
  readonly image: string | Uint8Array;
  /** Names or ids of classes, separated by commas; default all. */
  readonly classes?: string | undefined;
}

const fields = requestTable(
  {
    image: z.union([z.string(), z.instanceof(Uint8Array)], expecting('base64, a URL or bytes')),
    classes: z.string().optional(),
  },
  detectionParameters,
);

/**
 * Fills in the defaults of a detection request and checks every bound. The overlap threshold and the image size stay open where
 * none is given, since models have their own.
 */
export function completeDetectionRequest(input: DetectionRequestInput): DetectionRequest {
  assertRequest('A detection request', fields, input);
  const { model, image, classes } = input;
  if (typeof image === 'string' ? image.trim() === '' : image.byteLength === 0)
    throw fieldError('image', 'expected base64, a URL or bytes, got nothing');
  const resolved = resolveRequestParameters(detectionParameters, input);
  return {
    ...resolved,
    model,
    image,
    classes,
    iouThreshold: input.iouThreshold === undefined ? undefined : resolved.iouThreshold,
    imageSize: input.imageSize === undefined ? undefined : resolved.imageSize,
  };
}
