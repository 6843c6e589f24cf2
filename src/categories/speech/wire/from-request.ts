import { speechParameters } from '../parameters.ts';
import type { SpeechRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { speechRequestSchema, type streamFormats } from './schema.ts';
import { assertNoneOf, notOffered, type UnsupportedField } from '../../../validation/unsupported.ts';

const isEmpty = (value: unknown): boolean => value === '';
const isOne = (value: unknown): boolean => value === 1;
const isFalse = (value: unknown): boolean => value === false;

/** Fields of this wire format and of well-known servers that would change the answer, and that are not honoured. */
const unsupportedFields = new Map<string, UnsupportedField>(
  Object.entries({
    instructions: { harmless: isEmpty, advice: notOffered },
    text: { advice: 'use `input`' },
    speaker: { advice: 'use `voice`' },
    voice_settings: { advice: notOffered },
    language: { advice: 'a voice has its language' },
    lang_code: { advice: 'a voice has its language' },
    format: { advice: 'use `response_format`' },
    output_format: { advice: 'use `response_format`' },
    sample_rate: { advice: "it is the model's own" },
    pitch: { advice: notOffered },
    volume: { harmless: isOne, advice: notOffered },
    volume_multiplier: { harmless: isOne, advice: notOffered },
    normalization_options: { advice: notOffered },
    return_timestamps: { harmless: isFalse, advice: notOffered },
    return_download_link: { harmless: isFalse, advice: notOffered },
    ref_audio: { advice: notOffered },
    ref_text: { advice: notOffered },
    temperature: { advice: notOffered },
    seed: { advice: notOffered },
  }),
);

/**
 * @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honoured
 */
function assertSupported(body: unknown): void {
  assertNoneOf(unsupportedFields, body);
}

/** The parsed request; the service chooses a model where it names none. */
export interface SpeechCall {
  readonly model: string | undefined;
  readonly request: Omit<SpeechRequestInput, 'model'>;
  readonly streamFormat: (typeof streamFormats)[number];
}

const readParameters = parameterReader(speechParameters);

/**
 * A request body of `POST /audio/speech` → what the inference takes.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the field at fault as `param`
 *
 * @example
 * ```ts
 * fromSpeechRequest({ input: 'a red circle', response_format: 'pcm' }).request.format; // 'pcm'
 * ```
 */
export function fromSpeechRequest(body: unknown): SpeechCall {
  assertSupported(body);
  const parsed = parseBody(speechRequestSchema, body);
  return {
    model: parsed.model ?? undefined,
    request: {
      ...readParameters(parsed),
      input: parsed.input,
      format: parsed.response_format ?? undefined,
    },
    streamFormat: parsed.stream_format ?? 'audio',
  };
}
