import { speechParameters } from '../parameters.ts';
import type { SpeechRequestInput } from '../request.ts';
import { fieldError } from '../../../errors.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/request-table.ts';
import { speechRequestSchema, type streamFormats } from './schema.ts';
import {
  each,
  harmless,
  ignoredFields,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../validation/foreign-fields.ts';

/** Unsupported fields of OpenAI's API and popular servers. */
export const speechForeignFields: ForeignFields = {
  instructions: { ...harmless(''), advice: 'put it in the `input`, or choose a different `voice`' },
  text: { as: 'input' },
  ...each('speaker voice_id', { as: 'voice' }),
  speaking_rate: { as: 'speed' },
  length_scale: { advice: 'use `speed`' },
  voice_settings: notOffered,
  ...each('language lang_code language_code', { advice: 'a voice has its language' }),
  ...each('format output_format download_format', { advice: 'use `response_format`' }),
  sample_rate: { advice: 'it is fixed by the model' },
  pitch: notOffered,
  ...each('volume volume_multiplier', harmless(1)),
  normalization_options: notOffered,
  return_timestamps: { ...harmless(false), advice: 'use `timestamp_granularities`' },
  return_download_link: harmless(false),
  ...each('ref_audio ref_text temperature top_p seed exaggeration cfg_weight noise_scale noise_w'),
  ...ignoredFields('user priority stream'),
};

/** The parsed request; without `model`, the service chooses one. */
export interface SpeechCall {
  readonly model: string | undefined;
  readonly request: Omit<SpeechRequestInput, 'model'>;
  readonly streamFormat: (typeof streamFormats)[number];
}

const readParameters = parameterReader(speechParameters);

/**
 * A request body of `POST /audio/speech` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the invalid field as `param`
 * @example
 * ```ts
 * fromSpeechRequest({ input: 'a red circle', response_format: 'pcm' }).request.format; // 'pcm'
 * ```
 */
export function fromSpeechRequest(body: unknown): SpeechCall {
  return readForeign(speechForeignFields, body, (own) => {
    const parsed = parseBody(speechRequestSchema, own);
    const streamFormat = parsed.stream_format ?? 'audio';
    const wordTimestamps = parsed.timestamp_granularities?.includes('word');
    if (wordTimestamps === true && streamFormat === 'audio')
      throw fieldError('timestamp_granularities', 'expected stream_format sse or json with word, got audio');
    return {
      model: parsed.model ?? undefined,
      request: {
        ...readParameters(parsed),
        input: parsed.input,
        format: parsed.response_format ?? undefined,
        wordTimestamps,
      },
      streamFormat,
    };
  });
}
