import type { PairEncoder } from '../core/tokenization/pair-encoder.ts';
import type { Json } from './files.ts';

/** The files of one model in Hugging Face's ONNX layout. */
export interface ModelFolder {
  readonly path: string;
  readonly config: Json;
  /** Empty if the file is missing. */
  readonly generationConfig: Json;
  readonly tokenizer: Json;
  readonly tokenizerConfig: Json;
  /** Jinja source, or several by name. */
  readonly chatTemplate: string | Readonly<Record<string, string>> | undefined;
  /** Unix time in seconds of the model's config file. */
  readonly created: number;
}

/** Text to token ids and back. */
export interface TextTokenizer {
  /** Highest id + 1. */
  readonly vocabularySize: number;
  /** Without adding special tokens; special tokens spelled out in the text become their ids. */
  encode(text: string): number[];
  /** Yields after each part of bounded cost. If absent, `encode` is fast enough. */
  encodeSteps?(text: string): Generator<void, number[]>;
  /** The special tokens that the model expects around a text, such as `[CLS]` and `[SEP]`. */
  readonly frame: { readonly before: readonly number[]; readonly after: readonly number[] };
  /** Pairs one text with many, for models that compare texts. @throws InferenceError `invalid_request` for a tokenizer without pairs */
  pairWith(text: string): PairEncoder;
  /** Special tokens included as text. */
  decode(ids: readonly number[]): string;
  tokenToId(token: string): number | undefined;
  /** A token as the vocabulary spells it, such as `Ġthe`. */
  idToToken(id: number): string | undefined;
  /** True for control tokens such as `<|im_end|>`, which are not part of an answer. */
  isSpecial(id: number): boolean;
  /** UTF-8 bytes of one token; may be part of a character. */
  bytesOf(id: number): Uint8Array;
}

/** One input of a text encoder, as its graph reads it. */
export interface EncodedText {
  /** At least one. */
  readonly ids: ArrayLike<number>;
  /** 0 for tokens of the first text, 1 for tokens of the second; default: 0 for all. */
  readonly typeIds?: ArrayLike<number> | undefined;
}
