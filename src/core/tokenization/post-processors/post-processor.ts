import type { PartialEncoding } from '../encoding.ts';

export interface PostProcessOptions {
  readonly addSpecialTokens: boolean;
}

/** Puts the tokens around texts that a model expects, and trims offsets. */
export interface PostProcessor {
  /** Number of special tokens around one text, or around two. */
  addedTokens(texts: number): number;
  /** Encodings to be put one after the other in the end. */
  process(encodings: readonly PartialEncoding[], options: PostProcessOptions): readonly PartialEncoding[];
}
