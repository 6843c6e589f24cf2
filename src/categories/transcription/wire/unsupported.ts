import type { TranscriptionTask } from '../request.ts';
import { assertNoneOf, notOffered, type UnsupportedField } from '../../../validation/unsupported.ts';

const isAuto = (value: unknown): boolean => value === 'auto';
const isFalse = (value: unknown): boolean => /^(?:false|0)$/i.test(String(value));
const isTranscribe = (value: unknown): boolean => value === 'transcribe';

/** Fields of this wire format and of well-known servers that would change the answer, and that are not honoured. */
const unsupportedFields = new Map<string, UnsupportedField>(
  Object.entries({
    include: { advice: notOffered },
    chunking_strategy: { harmless: isAuto, advice: 'only auto is offered' },
    known_speaker_names: { advice: notOffered },
    known_speaker_references: { advice: notOffered },
    diarize: { harmless: isFalse, advice: notOffered },
    url: { advice: 'send the audio as `file`' },
    task: { harmless: isTranscribe, advice: 'only transcribe is offered' },
    translate: { harmless: isFalse, advice: notOffered },
    to_language: { advice: notOffered },
    initial_prompt: { advice: 'use `prompt`' },
    hotwords: { advice: 'use `prompt`' },
    word_timestamps: { harmless: isFalse, advice: 'use `timestamp_granularities[]`' },
    output: { advice: 'use `response_format`' },
    vad_filter: { advice: 'it is a setting of the model' },
    beam_size: { advice: notOffered },
    best_of: { advice: notOffered },
    patience: { advice: notOffered },
    length_penalty: { advice: notOffered },
    repetition_penalty: { advice: notOffered },
    suppress_tokens: { advice: notOffered },
    temperature_inc: { advice: notOffered },
    compression_ratio_threshold: { advice: notOffered },
    logprob_threshold: { advice: notOffered },
    no_speech_threshold: { advice: notOffered },
    condition_on_previous_text: { advice: notOffered },
    hallucination_silence_threshold: { advice: notOffered },
    clip_timestamps: { advice: notOffered },
    max_len: { advice: notOffered },
    seed: { advice: notOffered },
    top_p: { advice: notOffered },
    top_k: { advice: notOffered },
  }),
);

/** Fields that are unsupported in translations too, which are always of the whole and into English. */
const ofTranslations = new Map<string, UnsupportedField>([
  ...unsupportedFields,
  ...Object.entries({
    language: { advice: 'the language of the audio is auto-detected, and the text is English' },
    to_language: { harmless: (value: unknown) => value === 'en', advice: 'the text is English' },
    task: { harmless: (value: unknown) => value === 'translate', advice: 'use /audio/transcriptions' },
    translate: { harmless: (value: unknown) => !isFalse(value), advice: 'use /audio/transcriptions' },
    timestamp_granularities: { advice: notOffered },
    stream: { harmless: isFalse, advice: notOffered },
  }),
]);

/**
 * @throws InferenceError `unsupported_feature` for a field that would change the answer and can't be honoured
 */
export function assertSupported(form: object, task: TranscriptionTask): void {
  assertNoneOf(task === 'translate' ? ofTranslations : unsupportedFields, form);
}
