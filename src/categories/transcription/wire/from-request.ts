import type { FormField } from '../../../contracts/endpoint.ts';
import { fieldError } from '../../../errors.ts';
import { parseBody } from '../../../validation/issues.ts';
import { parameterReader } from '../../../validation/request-table.ts';
import {
  each,
  harmless,
  ignoredFields,
  notOffered,
  readForeign,
  type ForeignFields,
} from '../../../validation/foreign-fields.ts';
import { transcriptionParameters, type TranscriptionFormat } from '../parameters.ts';
import type { TranscriptionRequestInput } from '../request.ts';
import { streamedFormats, transcriptionFieldsSchema, translationFieldsSchema } from './schema.ts';

const isFalse = (value: unknown): boolean => /^(?:false|0)$/i.test(String(value));

/** Unsupported fields of OpenAI's API and popular servers. */
export const transcriptionForeignFields: ForeignFields = {
  ...ignoredFields('user priority encode stream_include_usage stream_continuous_usage_stats'),
  include: notOffered,
  chunking_strategy: { ...harmless('auto'), advice: 'only auto is offered' },
  known_speaker_names: notOffered,
  known_speaker_references: notOffered,
  ...each('diarize speaker_labels', { harmless: isFalse, advice: 'use `response_format` diarized_json' }),
  use_multi_channel: { harmless: isFalse, advice: 'use `multichannel`' },
  ...each('url audio_url', { advice: 'send the audio as `file`' }),
  task: { ...harmless('transcribe'), advice: 'only transcribe is offered' },
  translate: { harmless: isFalse },
  to_language: notOffered,
  initial_prompt: { as: 'prompt' },
  output_format: { as: 'response_format' },
  ...each('source_language language_code lang', { as: 'language' }),
  hotwords: { advice: 'use `prompt`' },
  word_timestamps: { harmless: isFalse, advice: 'use `timestamp_granularities[]`' },
  output: { advice: 'use `response_format`' },
  ...each('vad_filter vad', { advice: 'it is a setting of the model' }),
  ...each(
    'beam_size best_of patience length_penalty repetition_penalty frequency_penalty presence_penalty ' +
      'suppress_tokens temperature_inc compression_ratio_threshold logprob_threshold log_prob_threshold ' +
      'no_speech_threshold condition_on_previous_text hallucination_silence_threshold clip_timestamps ' +
      'offset_t duration max_len max_new_tokens max_completion_tokens no_repeat_ngram_size ' +
      'num_speakers min_speakers max_speakers seed top_p top_k min_p',
  ),
};

/** Translations always cover the whole audio and produce English. */
export const translationForeignFields: ForeignFields = {
  ...transcriptionForeignFields,
  ...each('diarize speaker_labels use_multi_channel', { harmless: isFalse }),
  to_language: { ...harmless('en'), advice: 'the text is English' },
  task: { ...harmless('translate'), advice: 'use /audio/transcriptions' },
  translate: { harmless: (value: unknown) => !isFalse(value), advice: 'use /audio/transcriptions' },
  timestamp_granularities: notOffered,
  multichannel: { harmless: isFalse },
  stream: { harmless: isFalse },
};

/** The parsed request without its audio; without `model`, the service chooses one. */
export interface TranscriptionCall {
  readonly model: string | undefined;
  readonly request: Omit<TranscriptionRequestInput, 'model' | 'audio'>;
  readonly format: TranscriptionFormat;
  /** Include segments in `verbose_json`. */
  readonly segments: boolean;
  readonly stream: boolean;
}

const readParameters = parameterReader(transcriptionParameters);

/**
 * The fields of a form of `POST /audio/transcriptions` → the inference request. Empty fields and `null` count as absent.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the invalid field as `param`
 * @example
 * ```ts
 * fromTranscriptionRequest([{ name: 'response_format', value: 'srt' }]).format; // 'srt'
 * ```
 */
export function fromTranscriptionRequest(fields: readonly FormField[]): TranscriptionCall {
  return readForeign(transcriptionForeignFields, toObject(fields), (own) => {
    const parsed = parseBody(transcriptionFieldsSchema, own);
    const { model, language, prompt, response_format: format = 'json', stream = false } = parsed;
    const granularities = new Set(parsed.timestamp_granularities ?? ['segment']);
    const wordTimestamps = granularities.has('word');
    if (wordTimestamps && format !== 'verbose_json') {
      const reason = `expected response_format verbose_json with word, got ${format}`;
      throw fieldError('timestamp_granularities', reason);
    }
    if (stream && !streamedFormats.includes(format)) {
      const reason = `expected response_format ${streamedFormats.join(', ')} with a stream, got ${format}`;
      throw fieldError('stream', reason);
    }
    return {
      model,
      request: {
        ...readParameters(parsed),
        language,
        prompt,
        wordTimestamps,
        diarize: format === 'diarized_json',
        multichannel: parsed.multichannel,
      },
      format,
      segments: granularities.has('segment'),
      stream,
    };
  });
}

/**
 * The fields of a form of `POST /audio/translations` → the inference request.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the invalid field as `param`
 * @example
 * ```ts
 * fromTranslationRequest([{ name: 'response_format', value: 'srt' }]).request.task; // 'translate'
 * ```
 */
export function fromTranslationRequest(fields: readonly FormField[]): TranscriptionCall {
  return readForeign(translationForeignFields, toObject(fields), (own) => {
    const parsed = parseBody(translationFieldsSchema, own);
    const { model, language, prompt, response_format: format = 'json' } = parsed;
    const request = { ...readParameters(parsed), language, prompt, task: 'translate' as const };
    return { model, request, format, segments: true, stream: false };
  });
}

const listFields = new Set([
  'timestamp_granularities',
  'include',
  'known_speaker_names',
  'known_speaker_references',
]);

/** `a[]` is the same field as `a`; only list fields may repeat. */
function toObject(fields: readonly FormField[]): Record<string, unknown> {
  const form = new Map<string, unknown>();
  for (const { name: given, value } of fields) {
    if (value === '' || value === 'null') continue;
    const name = given.replace(/\[\d*\]$/, '');
    const known = form.get(name);
    if (listFields.has(name)) form.set(name, [...((known as string[] | undefined) ?? []), value]);
    else if (known === undefined) form.set(name, toValue(name, value));
    else if (Object.hasOwn(transcriptionFieldsSchema.shape, name))
      throw fieldError(name, 'expected it once, got it twice');
  }
  return Object.fromEntries(form);
}

const decimalNumber = /^\s*[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?\s*$/i;

/** Parses a field that isn't text; the schema rejects unparsable values. */
function toValue(name: string, value: string): unknown {
  if (name === 'temperature' && decimalNumber.test(value)) return Number(value);
  if ((name === 'stream' || name === 'multichannel') && /^(?:true|false)$/i.test(value))
    return value.toLowerCase() === 'true';
  return value;
}
