import { fieldError } from '../../errors.ts';
import { detectionParameters } from './parameters.ts';

import { z } from 'zod';
import { RequestTable, type InputOf, type RequestOf } from '../../validation/request-table.ts';
import type { SchemaOf } from '../../validation/setting-table.ts';
import { expecting } from '../../validation/expecting.ts';

const imageSource: SchemaOf<string | Uint8Array> = z.union(
  [z.string(), z.instanceof(Uint8Array)],
  expecting('base64, a URL or bytes'),
);

const fields = {
  /** An http or https URL, a `data:` URL, base64 or the bytes of a JPEG, PNG, WebP, GIF, AVIF or TIFF. */
  image: imageSource,
  /** Names or ids of classes, separated by commas; default all. */
  classes: z.string().optional(),
};

const table = new RequestTable('A detection request', fields, detectionParameters);

/** A complete detection request, as `completeDetectionRequest` leaves it. */
export interface DetectionRequest extends Omit<
  RequestOf<typeof fields, typeof detectionParameters>,
  'iouThreshold' | 'imageSize'
> {
  /** `undefined` where the caller leaves it to the model whether boxes are suppressed. */
  readonly iouThreshold: number | undefined;
  /** `undefined` for the model's own. */
  readonly imageSize: number | undefined;
}

/** A detection request as a caller writes it: only `model` and `image` are needed. */
export interface DetectionRequestInput extends InputOf<typeof fields, typeof detectionParameters> {}

/**
 * Fills in the defaults of a detection request and checks every bound. The overlap threshold and the image size stay open where
 * none is given, since models have their own.
 */
export function completeDetectionRequest(input: DetectionRequestInput): DetectionRequest {
  table.assertForm(input);
  const { image } = input;
  if (typeof image === 'string' ? image.trim() === '' : image.byteLength === 0)
    throw fieldError('image', 'expected base64, a URL or bytes, got nothing');
  const request = table.complete(input);
  return {
    ...request,
    iouThreshold: input.iouThreshold === undefined ? undefined : request.iouThreshold,
    imageSize: input.imageSize === undefined ? undefined : request.imageSize,
  };
}
