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

/** A detection request with the defaults of `completeDetectionRequest`. */
export interface DetectionRequest extends Omit<
  RequestOf<typeof fields, typeof detectionParameters>,
  'iouThreshold' | 'imageSize'
> {
  /** `undefined` for the model's default. */
  readonly iouThreshold: number | undefined;
  /** `undefined` for the model's default. */
  readonly imageSize: number | undefined;
}

/** A detection request as a caller writes it: only `model` and `image` are required. */
export interface DetectionRequestInput extends InputOf<typeof fields, typeof detectionParameters> {}

/** The overlap threshold and the image size stay unset unless given: their defaults depend on the model. */
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
