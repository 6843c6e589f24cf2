import type { PartialEncoding } from '../encoding.ts';

export interface PostProcessOptions {
  readonly addSpecialTokens: boolean;
}

/** Adds a model's special tokens around texts, and trims offsets. */
export interface PostProcessor {
  /** Number of special tokens around one text, or around two. */
  addedTokens(texts: number): number;
  /** @returns encodings to concatenate */
  process(encodings: readonly PartialEncoding[], options: PostProcessOptions): readonly PartialEncoding[];
}
