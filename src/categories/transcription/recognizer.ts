import type { VoiceRegion } from '../../core/audio/voice-activity.ts';
import type { TranscriptionSegment, TranscriptionWord } from './events.ts';
import type { TranscriptionRequest } from './request.ts';

/** Samples of one second, as recognizers read them. */
export const sampleRateHz = 16_000;

/** A part of a request that a model may be unable to follow. */
export type RecognizerAbility = 'prompt' | 'translation' | 'temperature' | 'wordTimestamps';

/** A stretch of a recording; times count from its beginning. */
export interface AudioWindow {
  /** Mono, at `sampleRateHz`. */
  readonly samples: Float32Array;
  /** Sample of the recording at which it begins. */
  readonly start: number;
  readonly speech: readonly VoiceRegion[];
  readonly isLast: boolean;
  /** End of the last word before it, in seconds; negative. */
  readonly spokenUntil: number;
}

/** A segment as a model makes it, with its times from the beginning of its window. */
export type RecognizedSegment = Omit<TranscriptionSegment, 'id' | 'seek'>;

export interface RecognizedWindow {
  /** Final ones, in order. */
  readonly segments: readonly RecognizedSegment[];
  /** Samples after which the next window begins; at least 1. */
  readonly consumed: number;
}

export interface RecognitionOptions extends Pick<
  TranscriptionRequest,
  'language' | 'prompt' | 'task' | 'temperature' | 'wordTimestamps'
> {
  readonly signal?: AbortSignal | undefined;
}

/** One recording under way, with what a window hands on to the next. */
export interface Recognition {
  /** ISO 639-1, once it is known. */
  readonly language: string | undefined;
  /** @throws InferenceError `cancelled` */
  recognize(window: AudioWindow): Promise<RecognizedWindow>;
}

interface LoadedRecognizer {
  /** Longest audio of one run. */
  readonly maxSeconds: number;
  /** Tokens that its decoder has room for; 0 where it has no decoder. */
  readonly contextLength: number;
  /** ISO 639-1; empty where it takes no language, `undefined` where it doesn't list them. */
  readonly languages: readonly string[] | undefined;
  readonly abilities: ReadonlySet<RecognizerAbility>;
  release(): Promise<void>;
}

/** A recognizer that says itself how far the text of a window reaches, as Whisper does by its timestamps. */
export interface WindowRecognizer extends LoadedRecognizer {
  /** @throws InferenceError `invalid_request` naming the field that the model can't follow */
  begin(options: RecognitionOptions): Recognition;
}

export interface RecognizedStretch extends Pick<TranscriptionSegment, 'text' | 'tokens' | 'averageLogprob'> {
  /** In seconds from the beginning of the stretch; `undefined` if the model reports none. */
  readonly words?: readonly TranscriptionWord[] | undefined;
}

/** Samples of a stretch: the first, and one after the last. */
export type KeptSamples = readonly [start: number, end: number];

/** A recognizer that writes down whole stretches of speech, one by one: by CTC, transducers, Moonshine and their like. */
export interface StretchRecognizer extends LoadedRecognizer {
  /** Whether it can leave out words that begin before or after the kept samples; default false. */
  readonly leavesOutWords?: boolean;
  /** @param samples mono, at `sampleRateHz`, at most `maxSeconds` and the audio that was heard before them */
  recognize(
    samples: Float32Array,
    options: Pick<RecognitionOptions, 'language' | 'task' | 'signal'> & { readonly kept?: KeptSamples },
  ): Promise<RecognizedStretch>;
}

/** A loaded model that writes down speech: everything that the pipeline needs of it. */
export type Recognizer = WindowRecognizer | StretchRecognizer;
