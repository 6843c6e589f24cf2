import { speechParameters } from '../parameters.ts';
import type { SpeechRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { speechRequestSchema, type streamFormats } from './schema.ts';
import { assertSupported } from './unsupported.ts';

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
