import type { SpeakerSegment } from '../../core/audio/diarization/assign-speakers.ts';
import type { ModelInfo } from '../../contracts/model.ts';

/** A word that was said, with its times in seconds from the beginning of the audio. */
export interface TranscriptionWord {
  /** Without spaces around it, punctuation included. */
  readonly word: string;
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** A piece of speech that was transcribed as a whole, at most one window of the model long. */
export interface TranscriptionSegment {
  /** Counts from 0. */
  readonly id: number;
  /** Start of its window, in frames of 10 ms. */
  readonly seek: number;
  readonly startSeconds: number;
  readonly endSeconds: number;
  /** With the space that separates it from the segment before. */
  readonly text: string;
  readonly tokens: readonly number[];
  /** At which it was decoded in the end. */
  readonly temperature: number;
  readonly averageLogprob: number;
  /** Length of the text over its compressed length; repetitions have a high one. */
  readonly compressionRatio: number;
  readonly noSpeechProbability: number;
  /** Counts from 0; only where each channel is transcribed by itself. */
  readonly channel?: number | undefined;
  /** Only where words were asked for. */
  readonly words?: readonly TranscriptionWord[] | undefined;
}

/**
 * Events of a transcription, in order; a segment is final when it comes. `transcription-end` comes once, last; where speakers were
 * asked for, `speakers` comes once before it.
 */
export type TranscriptionEvent =
  | { readonly type: 'segment'; readonly segment: TranscriptionSegment }
  /** A window is done, so that the audio is transcribed up to here; silence is a window without segments. */
  | { readonly type: 'progress'; readonly seconds: number; readonly channels?: number | undefined }
  /** The whole transcript again, cut where the speaker changes: voices are compared once all of them are heard. */
  | { readonly type: 'speakers'; readonly segments: readonly SpeakerSegment[] }
  | {
      readonly type: 'transcription-end';
      /** ISO 639-1; `undefined` where nobody speaks, or the model knows one language and doesn't say which. */
      readonly language: string | undefined;
      /** Duration of the audio. */
      readonly durationSeconds: number;
      /** Number of channels that were transcribed each by itself. */
      readonly channels?: number | undefined;
    };

/** Facts about a loaded transcription model. */
export interface TranscriptionModelInfo extends ModelInfo {
  readonly category: 'transcription';
  /** The languages that may be asked for (ISO 639-1); none where the model takes no language. */
  readonly languages?: readonly string[] | undefined;
  /** Whether it reads a prompt; undefined while unknown. */
  readonly takesPrompt?: boolean | undefined;
}

interface HeardAudio {
  readonly durationSeconds: number;
  readonly channels?: number | undefined;
}

/** Duration of the audio of all channels that were heard, which is what counts as used. */
export function heardSeconds({ durationSeconds, channels = 1 }: HeardAudio): number {
  return durationSeconds * channels;
}
