import { transcriptionParameters, type TranscriptionFormat } from '../parameters.ts';
import { fieldError } from '../../../errors.ts';
import type { TranscriptionRequestInput } from '../request.ts';
import { parseBody } from '../../../validation/issues.ts';
import type { FormField } from '../../../contracts/endpoint.ts';
import { parameterReader } from '../../../validation/parameter-schema.ts';
import { transcriptionFieldsSchema, translationFieldsSchema } from './schema.ts';
import { assertSupported } from './unsupported.ts';

/** The parsed request; the service chooses a model where it names none, and the audio comes separately. */
export interface TranscriptionCall {
  readonly model: string | undefined;
  readonly request: Omit<TranscriptionRequestInput, 'model' | 'audio'>;
  readonly format: TranscriptionFormat;
  /** Whether `verbose_json` has the segments. */
  readonly segments: boolean;
  readonly stream: boolean;
}

const streamedFormats: ReadonlySet<TranscriptionFormat> = new Set(['json', 'text', 'diarized_json']);

const readParameters = parameterReader(transcriptionParameters);

/**
 * The fields of a form of `POST /audio/transcriptions` → what the inference takes. Fields without a value, and those
 * that say `null`, count as left out.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the field at fault as `param`
 *
 * @example
 * ```ts
 * fromTranscriptionRequest([{ name: 'response_format', value: 'srt' }]).format; // 'srt'
 * ```
 */
export function fromTranscriptionRequest(fields: readonly FormField[]): TranscriptionCall {
  const form = toObject(fields);
  assertSupported(form, 'transcribe');
  const parsed = parseBody(transcriptionFieldsSchema, form);
  const { model, language, prompt, response_format: format = 'json', stream = false } = parsed;
  const granularities = new Set(parsed.timestamp_granularities ?? ['segment']);
  const wordTimestamps = granularities.has('word');
  if (wordTimestamps && format !== 'verbose_json') {
    throw fieldError(
      'timestamp_granularities',
      `expected response_format verbose_json with word, got ${format}`,
    );
  }
  if (stream && !streamedFormats.has(format)) {
    const names = [...streamedFormats].join(', ');
    throw fieldError('stream', `expected response_format ${names} with a stream, got ${format}`);
  }
  return {
    model,
    request: {
      ...readParameters(parsed),
      language,
      prompt,
      wordTimestamps,
      diarize: format === 'diarized_json',
    },
    format,
    segments: granularities.has('segment'),
    stream,
  };
}

/**
 * The fields of a form of `POST /audio/translations` → what the inference takes.
 *
 * @throws InferenceError `invalid_request` or `unsupported_feature` with the field at fault as `param`
 *
 * @example
 * ```ts
 * fromTranslationRequest([{ name: 'response_format', value: 'srt' }]).request.task; // 'translate'
 * ```
 */
export function fromTranslationRequest(fields: readonly FormField[]): TranscriptionCall {
  const form = toObject(fields);
  assertSupported(form, 'translate');
  const parsed = parseBody(translationFieldsSchema, form);
  const { model, language, prompt, response_format: format = 'json' } = parsed;
  const request = { ...readParameters(parsed), language, prompt, task: 'translate' as const };
  return { model, request, format, segments: true, stream: false };
}

const listFields = new Set([
  'timestamp_granularities',
  'include',
  'known_speaker_names',
  'known_speaker_references',
]);

/** `a[]` is the same field as `a`; one that is no list may come once. */
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

/** Reads a field that isn't text; the schema refuses a value that can't be read. */
function toValue(name: string, value: string): unknown {
  if (name === 'temperature' && decimalNumber.test(value)) return Number(value);
  if (name === 'stream' && /^(?:true|false)$/i.test(value)) return value.toLowerCase() === 'true';
  return value;
}
