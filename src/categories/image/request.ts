import { fieldError } from '../../errors.ts';
import { imageParameters, maxImagePromptCharacters, type ImageParameters } from './parameters.ts';

import { z } from 'zod';
import { assertRequest, requestTable } from '../../validation/assert-request.ts';
import { resolveRequestParameters } from '../../validation/request-parameters.ts';

/** A complete image generation request, as `completeImageRequest` leaves it. */
export interface ImageRequest extends ImageParameters {
  readonly model: string;
  readonly prompt: string;
  /** Whether the events of steps carry small pictures of what is there by then. */
  readonly previews: boolean;
}

/** An image generation request as a caller writes it: only `model` and `prompt` are needed. */
export interface ImageRequestInput extends Partial<ImageParameters> {
  readonly model: string;
  readonly prompt: string;
  /** Whether the events of steps carry small pictures of what is there by then; default false. */
  readonly previews?: boolean | undefined;
}

const fields = requestTable(
  {
    prompt: z.string(),
    previews: z.boolean().optional(),
  },
  imageParameters,
);

/** Fills in the defaults of an image generation request and checks every bound that doesn't depend on the model. */
export function completeImageRequest(request: ImageRequestInput): ImageRequest {
  assertRequest('An image request', fields, request);
  const { model, prompt, previews = false, ...given } = request;
  if (prompt.trim() === '') throw fieldError('prompt', 'expected a text that is not empty');
  const parameters = resolveRequestParameters(imageParameters, given);
  assertLength('prompt', prompt);
  assertLength('negative_prompt', parameters.negativePrompt);
  assertMultiple('width', parameters.width);
  assertMultiple('height', parameters.height);
  return { ...parameters, model, prompt, previews };
}

function assertLength(param: string, text: string): void {
  if (text.length <= maxImagePromptCharacters) return;
  throw fieldError(param, `expected at most ${maxImagePromptCharacters} characters, got ${text.length}`);
}

function assertMultiple(param: 'width' | 'height', pixels: number): void {
  const { step } = imageParameters[param];
  if (pixels % step !== 0) throw fieldError(param, `expected a multiple of ${step}, got ${pixels}`);
}
