import type { TokenBuffer } from '../token-buffer.ts';
import type { Vocabulary } from '../vocabulary.ts';

/** Finds the tokens of a word. */
export interface Model {
  readonly vocabulary: Vocabulary;
  /** Ids from here on are free for tokens that are added. */
  readonly size: number;
  /** Appends the tokens of `units[start, end)`, which isn't empty. */
  encodeInto(tokens: TokenBuffer, units: Uint16Array, start: number, end: number): void;
  /** The same for words that have one character for each byte of the UTF-8 of `units[start, end)`. */
  readonly bytes?: ByteModel | undefined;
}

export interface ByteModel {
  /** Whether such words can be encoded without spelling them out. */
  knows(units: Uint16Array, start: number, end: number): boolean;
  encodeInto: Model['encodeInto'];
}
