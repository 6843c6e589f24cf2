import { fieldError } from '../../errors.ts';
import { maxSpeechCharacters, speechParameters, type SpeechParameters } from './parameters.ts';
import { speechFormats, type SpeechFormat } from '../../core/audio/speech-formats.ts';

import { z } from 'zod';
import { assertRequest, requestTable } from '../../validation/assert-request.ts';
import { resolveRequestParameters } from '../../validation/request-parameters.ts';
import { describeValue } from '../../core/text/quote.ts';

/** A complete speech request, as `completeSpeechRequest` leaves it. */
export interface SpeechRequest extends SpeechParameters {
  readonly model: string;
  readonly input: string;
  readonly format: SpeechFormat;
  /** Whether the words come with their times. */
  readonly wordTimestamps: boolean;
}

/** A speech request as a caller writes it: only `model` and `input` are needed. */
export interface SpeechRequestInput extends Partial<SpeechParameters> {
  readonly model: string;
  /** The text to speak. */
  readonly input: string;
  /** Default `wav`. */
  readonly format?: SpeechFormat | undefined;
  /** Whether the words come with their times, which not every model has; default false. */
  readonly wordTimestamps?: boolean | undefined;
}

const fields = requestTable(
  {
    input: z.string(),
    // Its values are listed below.
    format: z.unknown(),
    wordTimestamps: z.boolean().optional(),
  },
  speechParameters,
);

/** Fills in the defaults of a speech request and checks every bound that doesn't depend on the model. */
export function completeSpeechRequest(request: SpeechRequestInput): SpeechRequest {
  assertRequest('A speech request', fields, request);
  const { model, input, format = 'wav', wordTimestamps = false, ...given } = request;
  if (input.trim() === '') throw fieldError('input', 'expected a text that is not empty');
  if (input.length > maxSpeechCharacters)
    throw fieldError('input', `expected at most ${maxSpeechCharacters} characters, got ${input.length}`);
  if (!speechFormats.includes(format)) {
    const reason = `expected one of ${speechFormats.join(', ')}, got ${describeValue(format)}`;
    throw fieldError('response_format', reason);
  }
  return { ...resolveRequestParameters(speechParameters, given), model, input, format, wordTimestamps };
}
