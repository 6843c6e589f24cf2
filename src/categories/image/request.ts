import { fieldError } from '../../errors.ts';
import { imageParameters, maxImagePromptCharacters } from './parameters.ts';

import { z } from 'zod';
import { RequestTable, type InputOf, type RequestOf } from '../../validation/request-table.ts';

const fields = {
  prompt: z.string(),
  /** Add small preview images to step events; default false. */
  previews: z.boolean().default(false),
};

const table = new RequestTable('An image request', fields, imageParameters);

/** An image generation request with the defaults of `completeImageRequest`. */
export interface ImageRequest extends RequestOf<typeof fields, typeof imageParameters> {}

/** An image generation request as a caller writes it: only `model` and `prompt` are required. */
export interface ImageRequestInput extends InputOf<typeof fields, typeof imageParameters> {}

export function completeImageRequest(input: ImageRequestInput): ImageRequest {
  table.assertForm(input);
  if (input.prompt.trim() === '') throw fieldError('prompt', 'expected a non-empty text');
  const request = table.complete(input);
  assertLength('prompt', request.prompt);
  assertLength('negative_prompt', request.negativePrompt);
  assertMultiple('width', request.width);
  assertMultiple('height', request.height);
  return request;
}

function assertLength(param: string, text: string): void {
  if (text.length <= maxImagePromptCharacters) return;
  throw fieldError(param, `expected at most ${maxImagePromptCharacters} characters, got ${text.length}`);
}

function assertMultiple(param: 'width' | 'height', pixels: number): void {
  const { step } = imageParameters[param];
  if (pixels % step !== 0) throw fieldError(param, `expected a multiple of ${step}, got ${pixels}`);
}
