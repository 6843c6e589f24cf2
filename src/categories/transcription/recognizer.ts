import type { VoiceRegion } from '../../core/audio/voice-activity.ts';
import type { TranscriptionSegment, TranscriptionWord } from './events.ts';
import type { TranscriptionRequest } from './request.ts';

export const sampleRateHz = 16_000;

/** A part of a request that some models don't support. */
export type RecognizerAbility = 'prompt' | 'translation' | 'temperature' | 'wordTimestamps';

/** A stretch of a recording; times count from its beginning. */
export interface AudioWindow {
  /** Mono, at `sampleRateHz`. */
  readonly samples: Float32Array;
  /** Start sample in the recording. */
  readonly start: number;
  readonly speech: readonly VoiceRegion[];
  readonly isLast: boolean;
  /** End of the last word before it, in seconds; negative. */
  readonly spokenUntil: number;
}

/** A model's segment, with times from the beginning of its window. */
export type RecognizedSegment = Omit<TranscriptionSegment, 'id' | 'seek'>;

export interface RecognizedWindow {
  /** Final segments, in order. */
  readonly segments: readonly RecognizedSegment[];
  /** Samples to advance to the next window; at least 1. */
  readonly consumed: number;
}

export interface RecognitionOptions extends Pick<
  TranscriptionRequest,
  'language' | 'prompt' | 'task' | 'temperature' | 'wordTimestamps'
> {
  readonly signal?: AbortSignal | undefined;
}

/** A recording in progress, with the state carried between windows. */
export interface Recognition {
  /** ISO 639-1, once detected. */
  readonly language: string | undefined;
  /** @throws InferenceError `cancelled` */
  recognize(window: AudioWindow): Promise<RecognizedWindow>;
}

interface LoadedRecognizer {
  /** Max seconds of audio per run. */
  readonly maxSeconds: number;
  /** Max tokens of its decoder; 0 without a decoder. */
  readonly contextLength: number;
  /** ISO 639-1; empty if it takes no language, `undefined` if it doesn't list them. */
  readonly languages: readonly string[] | undefined;
  readonly abilities: ReadonlySet<RecognizerAbility>;
  release(): Promise<void>;
}

/** Reports where the text of a window ends, like Whisper's timestamps. */
export interface WindowRecognizer extends LoadedRecognizer {
  /** @throws InferenceError `invalid_request` naming the unsupported field */
  begin(options: RecognitionOptions): Recognition;
}

export interface RecognizedStretch extends Pick<TranscriptionSegment, 'text' | 'tokens' | 'averageLogprob'> {
  /** In seconds from the beginning of the stretch; `undefined` if the model reports no times. */
  readonly words?: readonly TranscriptionWord[] | undefined;
}

/** Samples of a stretch; the end is exclusive. */
export type KeptSamples = readonly [start: number, end: number];

/** Whole stretches of speech: CTC, transducers, Moonshine and similar models. */
export interface StretchRecognizer extends LoadedRecognizer {
  /** It can drop words that begin outside the kept samples; default false. */
  readonly leavesOutWords?: boolean;
  /** @param samples mono, at `sampleRateHz`, at most `maxSeconds` plus the overlap before them */
  recognize(
    samples: Float32Array,
    options: Pick<RecognitionOptions, 'language' | 'task' | 'signal'> & { readonly kept?: KeptSamples },
  ): Promise<RecognizedStretch>;
}

export type Recognizer = WindowRecognizer | StretchRecognizer;
