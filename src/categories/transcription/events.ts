import type { SpeakerSegment } from '../../core/audio/diarization/assign-speakers.ts';
import type { ModelInfo } from '../../contracts/model.ts';

/** A spoken word, with times in seconds from the beginning of the audio. */
export interface TranscriptionWord {
  /** Without surrounding spaces, punctuation included. */
  readonly word: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A piece of speech transcribed in one run, at most one window of the model long. */
export interface TranscriptionSegment {
  /** Counts from 0. */
  readonly id: number;
  /** Start of its window, in frames of 10 ms. */
  readonly seek: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** With the space that separates it from the previous segment. */
  readonly text: string;
  readonly tokens: readonly number[];
  /** Final decoding temperature. */
  readonly temperature: number;
  readonly averageLogprob: number;
  /** Length of the text over its compressed length; high for repetitions. */
  readonly compressionRatio: number;
  readonly noSpeechProbability: number;
  /** Counts from 0; only with `multichannel`. */
  readonly channel?: number | undefined;
  /** Only with `wordTimestamps`. */
  readonly words?: readonly TranscriptionWord[] | undefined;
}

/**
 * Events of a transcription, in order; segments are final. `transcription-end` is the last event; with `diarize`, one `speakers`
 * event precedes it.
 */
export type TranscriptionEvent =
  | { readonly type: 'segment'; readonly segment: TranscriptionSegment }
  /** A window is done: the audio is transcribed up to this time; a silent window has no segments. */
  | { readonly type: 'progress'; readonly seconds: number; readonly channels?: number | undefined }
  /** The whole transcript again, split by speaker: voices are compared once all of them are heard. */
  | { readonly type: 'speakers'; readonly segments: readonly SpeakerSegment[] }
  | {
      readonly type: 'transcription-end';
      /** ISO 639-1; `undefined` without speech, or for a monolingual model that doesn't name its language. */
      readonly language: string | undefined;
      /** Duration of the audio. */
      readonly durationSeconds: number;
      /** Number of channels, with `multichannel`. */
      readonly channels?: number | undefined;
    };

/** Facts about a loaded transcription model. */
export interface TranscriptionModelInfo extends ModelInfo {
  readonly category: 'transcription';
  /** Supported languages (ISO 639-1); empty if the model takes no language. */
  readonly languages?: readonly string[] | undefined;
  /** Whether it reads a prompt; undefined while unknown. */
  readonly takesPrompt?: boolean | undefined;
}

interface HeardAudio {
  readonly durationSeconds: number;
  readonly channels?: number | undefined;
}

/** Audio duration over all channels, for billing. */
export function heardSeconds({ durationSeconds, channels = 1 }: HeardAudio): number {
  return durationSeconds * channels;
}
