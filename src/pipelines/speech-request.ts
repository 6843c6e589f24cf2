import { InferenceError } from '../errors.ts';
import { resolveParameter, toWireName } from '../core/parameters/descriptor.ts';
import {
  maxSpeechCharacters,
  speechFormats,
  speechParameters,
  type SpeechFormat,
  type SpeechParameters,
} from '../core/parameters/speech.ts';
import type { SpeechRequest } from './contract.ts';

/** A speech request as a caller writes it: only `model` and `input` are needed. */
export interface SpeechRequestInput extends Partial<SpeechParameters> {
  readonly model: string;
  /** The text to speak. */
  readonly input: string;
  /** Default `wav`. */
  readonly format?: SpeechFormat | undefined;
}

/**
 * Fills in the defaults of a speech request and checks every bound that doesn't depend on the model.
 *
 * @throws InferenceError `invalid_request` naming the parameter as the wire spells it
 *
 * @example
 * ```ts
 * completeSpeechRequest({ model: 'tiny-speech', input: 'a red circle' }).voice; // 'af_heart'
 * ```
 */
export function completeSpeechRequest({
  model,
  input,
  format = 'wav',
  ...given
}: SpeechRequestInput): SpeechRequest {
  if (input.trim() === '') throw invalid('input', 'expected a text that is not empty');
  if (input.length > maxSpeechCharacters) {
    throw invalid('input', `expected at most ${maxSpeechCharacters} characters, got ${input.length}`);
  }
  if (!speechFormats.includes(format)) {
    throw invalid(
      'response_format',
      `expected one of ${speechFormats.join(', ')}, got ${JSON.stringify(format)}`,
    );
  }
  return { ...resolveSpeechParameters(given), model, input, format };
}

function resolveSpeechParameters(given: Partial<SpeechParameters>): SpeechParameters {
  const resolved: Record<string, unknown> = {};
  for (const [name, descriptor] of Object.entries(speechParameters)) {
    const param = toWireName(name);
    try {
      resolved[name] = resolveParameter(param, given[name as keyof SpeechParameters], descriptor);
    } catch (error) {
      throw new InferenceError('invalid_request', (error as Error).message, { param, cause: error });
    }
  }
  return resolved as unknown as SpeechParameters;
}

function invalid(param: string, message: string): InferenceError {
  return new InferenceError('invalid_request', `${param}: ${message}`, { param });
}
