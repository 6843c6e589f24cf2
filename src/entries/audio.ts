export { decodeCtc, type CtcPath, type CtcShape, type CtcToken } from '../core/audio/ctc.ts';
export {
  assignSpeakers,
  type SpeakerSegment,
  type SpeakerTurn,
  type TimedText,
} from '../core/audio/diarization/assign-speakers.ts';
export { downmix } from '../core/audio/downmix.ts';
export {
  createKaldiFeatures,
  type KaldiFeatureExtractor,
  type KaldiFeatures,
} from '../core/audio/kaldi-features.ts';
export { createLogMel, type LogMel, type LogMelOptions } from '../core/audio/log-mel.ts';
export {
  createNemoFeatures,
  type NemoFeatureExtractor,
  type NemoFeatures,
} from '../core/audio/nemo-features.ts';
export { createResampler, resample, type Resampler, type SampleRates } from '../core/audio/resample.ts';
export { toSrt, toVtt, type Subtitle } from '../core/audio/subtitles.ts';
export {
  beginTransducerSearch,
  type TransducerSearch,
  type TransducerShape,
  type TransducerToken,
} from '../core/audio/transducer.ts';
export {
  createVoiceActivityDetector,
  findVoiceActivity,
  type VoiceActivityDetector,
  type VoiceActivityOptions,
  type VoiceRegion,
} from '../core/audio/voice-activity.ts';
export { languageName } from '../core/audio/whisper/languages.ts';
export { splitWindow, type WindowSegment, type WindowSplit } from '../core/audio/whisper/segments.ts';
export { applyTimestampRules, type TimestampRules } from '../core/audio/whisper/timestamp-rules.ts';
export { toSeconds, type TimestampVocabulary } from '../core/audio/whisper/timestamps.ts';
export { tokenTimes, type AlignmentShape } from '../core/audio/whisper/token-times.ts';
export { splitWords, type TokenWord, type WordOptions } from '../core/audio/whisper/words.ts';
export { arpabetToPhonemes } from '../core/speech/arpabet.ts';
export { letterToSound, type LetterToSoundModel } from '../core/speech/english/letter-to-sound-model.ts';
export { phonemizeEnglish } from '../core/speech/english/phonemize-english.ts';
export { readMarkup, type MarkedSpan, type MarkedText } from '../core/speech/markup/read-markup.ts';
export { normalizeEnglish } from '../core/speech/normalization/normalize-english.ts';
export { splitSentences } from '../core/speech/sentences.ts';
