import type { ModelInfo } from '../../contracts/model.ts';

/** A spoken word of the text. */
export interface SpokenWord {
  /** As written in the text, without surrounding punctuation. */
  readonly word: string;
  /** Offset of the word in the text, in UTF-16 code units. */
  readonly offset: number;
  /** From the beginning of the audio. */
  readonly startSeconds: number;
  readonly endSeconds: number;
}

/** Events of a speech request, in order: the concatenated `bytes` of all `audio` events are the file. */
export type SpeechEvent =
  | { readonly type: 'speech-start'; readonly mediaType: string; readonly sampleRateHz: number }
  | { readonly type: 'audio'; readonly bytes: Uint8Array }
  /** Only with `wordTimestamps`: the next words, sent close to their audio. */
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

export interface SpeechModelInfo extends ModelInfo {
  readonly category: 'speech';
  readonly voices?: readonly Voice[] | undefined;
  /** Map the voice names built into OpenAI's clients to voices of the model; default true. */
  readonly voiceAliases?: boolean | undefined;
}
