/** The words of one stretch of speech. */
export interface Recognized {
  readonly text: string;
  readonly tokens: readonly number[];
  readonly averageLogprob: number;
  /** In seconds from the beginning of the stretch; `undefined` if the model reports none. */
  readonly words?:
    | readonly { readonly word: string; readonly startSeconds: number; readonly endSeconds: number }[]
    | undefined;
}

export interface RecognizeOptions {
  /** ISO 639-1 */
  readonly language: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A model that writes down short stretches of speech. */
export interface Recognizer {
  readonly sampleRateHz: number;
  readonly hasWordTimes: boolean;
  /** Whether it takes the language. */
  readonly takesLanguage: boolean;
  /** @param samples mono, at `sampleRateHz` */
  recognize(samples: Float32Array, options: RecognizeOptions): Promise<Recognized>;
  release(): Promise<void>;
}
