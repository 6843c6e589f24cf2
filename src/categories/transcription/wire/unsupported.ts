import type { TranscriptionTask } from '../request.ts';
import { assertNoneOf, notOffered, type UnsupportedFields } from '../../../validation/unsupported.ts';

const isAuto = (value: unknown): boolean => value === 'auto';
const isFalse = (value: unknown): boolean => /^(?:false|0)$/i.test(String(value));
const isTranscribe = (value: unknown): boolean => value === 'transcribe';

/** Fields of this wire format and of well-known servers that would change the answer, and that are not honored. */
const unsupportedFields: UnsupportedFields = {
  include: notOffered,
  chunking_strategy: { harmless: isAuto, advice: 'only auto is offered' },
  known_speaker_names: notOffered,
  known_speaker_references: notOffered,
  diarize: { harmless: isFalse },
  url: { advice: 'send the audio as `file`' },
  task: { harmless: isTranscribe, advice: 'only transcribe is offered' },
  translate: { harmless: isFalse },
  to_language: notOffered,
  initial_prompt: { advice: 'use `prompt`' },
  hotwords: { advice: 'use `prompt`' },
  word_timestamps: { harmless: isFalse, advice: 'use `timestamp_granularities[]`' },
  output: { advice: 'use `response_format`' },
  vad_filter: { advice: 'it is a setting of the model' },
  beam_size: notOffered,
  best_of: notOffered,
  patience: notOffered,
  length_penalty: notOffered,
  repetition_penalty: notOffered,
  suppress_tokens: notOffered,
  temperature_inc: notOffered,
  compression_ratio_threshold: notOffered,
  logprob_threshold: notOffered,
  no_speech_threshold: notOffered,
  condition_on_previous_text: notOffered,
  hallucination_silence_threshold: notOffered,
  clip_timestamps: notOffered,
  max_len: notOffered,
  seed: notOffered,
  top_p: notOffered,
  top_k: notOffered,
};

/** Fields that are unsupported in translations too, which are always of the whole and into English. */
const ofTranslations: UnsupportedFields = {
  ...unsupportedFields,
  to_language: { harmless: (value: unknown) => value === 'en', advice: 'the text is English' },
  task: { harmless: (value: unknown) => value === 'translate', advice: 'use /audio/transcriptions' },
  translate: { harmless: (value: unknown) => !isFalse(value), advice: 'use /audio/transcriptions' },
  timestamp_granularities: notOffered,
  stream: { harmless: isFalse },
};

/** @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honored */
export function assertSupported(form: object, task: TranscriptionTask): void {
  assertNoneOf(task === 'translate' ? ofTranslations : unsupportedFields, form);
}
