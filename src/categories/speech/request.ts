import { fieldError } from '../../errors.ts';
import { maxSpeechCharacters, speechParameters } from './parameters.ts';
import { speechFormats, type SpeechFormat } from '../../core/audio/speech-formats.ts';

import { z } from 'zod';
import { RequestTable, type InputOf, type RequestOf } from '../../validation/request-table.ts';
import { describeValue } from '../../core/text/quote.ts';

const fields = {
  input: z.string(),
  /** Default `wav`. */
  format: z.custom<SpeechFormat>().default('wav'),
  /** Report the times of words, if the model supports it; default false. */
  wordTimestamps: z.boolean().default(false),
};

const table = new RequestTable('A speech request', fields, speechParameters);

/** A speech request with the defaults of `completeSpeechRequest`. */
export interface SpeechRequest extends RequestOf<typeof fields, typeof speechParameters> {}

/** A speech request as a caller writes it: only `model` and `input` are required. */
export interface SpeechRequestInput extends InputOf<typeof fields, typeof speechParameters> {}

export function completeSpeechRequest(request: SpeechRequestInput): SpeechRequest {
  table.assertForm(request);
  const { input, format } = request;
  if (input.trim() === '') throw fieldError('input', 'expected a non-empty text');
  if (input.length > maxSpeechCharacters)
    throw fieldError('input', `expected at most ${maxSpeechCharacters} characters, got ${input.length}`);
  if (format !== undefined && !speechFormats.includes(format)) {
    const reason = `expected one of ${speechFormats.join(', ')}, got ${describeValue(format)}`;
    throw fieldError('response_format', reason);
  }
  return table.complete(request);
}
