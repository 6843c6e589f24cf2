import type { ModelInfo } from '../../contracts/model.ts';

/** A word of the text that was spoken. */
export interface SpokenWord {
  /** As the text has it, without the marks around it. */
  readonly word: string;
  /** Offset of the word in the text, in UTF-16 code units. */
  readonly offset: number;
  /** From the beginning of the audio. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Events of a speech request, in order: the `bytes` of all `audio` events together are the file. */
export type SpeechEvent =
  | { readonly type: 'speech-start'; readonly mediaType: string; readonly sampleRateHz: number }
  | { readonly type: 'audio'; readonly bytes: Uint8Array }
  /** Only where word times were asked for: the next words, about when their audio comes. */
  | { readonly type: 'words'; readonly words: readonly SpokenWord[] }
  | { readonly type: 'speech-end'; readonly durationSeconds: number };

/** A voice of a speech model. */
export interface Voice {
  readonly id: string;
  /** Display name. */
  readonly name: string;
  /** BCP 47, such as `en-US`. */
  readonly language: string;
}

/** Facts about a loaded speech model. */
export interface SpeechModelInfo extends ModelInfo {
  readonly category: 'speech';
  readonly voices?: readonly Voice[] | undefined;
  /** Whether names that clients have built in stand for voices of the model; default true. */
  readonly voiceAliases?: boolean | undefined;
}
