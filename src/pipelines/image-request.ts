import { InferenceError } from '../errors.ts';
import { imageParameters, maxImagePromptCharacters, type ImageParameters } from '../core/parameters/image.ts';
import type { ImageRequest } from './contract.ts';
import { resolveRequestParameters } from './request-parameters.ts';

/** An image generation request as a caller writes it: only `model` and `prompt` are needed. */
export interface ImageRequestInput extends Partial<ImageParameters> {
  readonly model: string;
  readonly prompt: string;
  /** Whether the events of steps carry small pictures of what is there by then; default false. */
  readonly previews?: boolean | undefined;
}

/**
 * Fills in the defaults of an image generation request and checks every bound that doesn't depend on the model.
 *
 * @throws InferenceError `invalid_request` naming the parameter as the wire spells it
 *
 * @example
 * ```ts
 * completeImageRequest({ model: 'tiny-image', prompt: 'a red circle' }).numInferenceSteps; // 4
 * ```
 */
export function completeImageRequest({
  model,
  prompt,
  previews = false,
  ...given
}: ImageRequestInput): ImageRequest {
  if (prompt.trim() === '') throw invalid('prompt', 'expected a text that is not empty');
  const parameters = resolveRequestParameters(imageParameters, given);
  assertLength('prompt', prompt);
  assertLength('negative_prompt', parameters.negativePrompt);
  assertSeeds(parameters);
  assertMultiple('width', parameters.width);
  assertMultiple('height', parameters.height);
  return { ...parameters, model, prompt, previews };
}

function assertLength(param: string, text: string): void {
  if (text.length <= maxImagePromptCharacters) return;
  throw invalid(param, `expected at most ${maxImagePromptCharacters} characters, got ${text.length}`);
}

/** The last image's seed has to be one that can be asked for. */
function assertSeeds({ seed, n }: ImageParameters): void {
  const { max } = imageParameters.seed;
  if (seed === undefined || seed + n - 1 <= max) return;
  throw invalid('seed', `expected at most ${max - n + 1} for ${n} images, got ${seed}`);
}

function assertMultiple(param: 'width' | 'height', pixels: number): void {
  const { step } = imageParameters[param];
  if (pixels % step !== 0) throw invalid(param, `expected a multiple of ${step}, got ${pixels}`);
}

function invalid(param: string, message: string): InferenceError {
  return new InferenceError('invalid_request', `${param}: ${message}`, { param });
}
