import { grown } from '../sampling/scratch.ts';

/** Capacity that working memory keeps between texts; longer texts free their excess. */
export const keptCapacity = 2 ** 16;

export interface TokenBuffer {
  count: number;
  /** `[count]` */
  ids: Int32Array;
  /**
   * `[count]` UTF-8 bytes of the piece that each token covers; `sameSpan` if it covers the same bytes as the previous token.
   */
  lengths: Int32Array;
  /** `[count]` 1 for a token whose text is the covered text, not the text of its id. */
  literal: Uint8Array;
}

/** Length of a token that covers the same bytes as the previous token. */
export const sameSpan = -1;

export function createTokenBuffer(capacity = 1024): TokenBuffer {
  return {
    count: 0,
    ids: new Int32Array(capacity),
    lengths: new Int32Array(capacity),
    literal: new Uint8Array(capacity),
  };
}

export function pushToken(tokens: TokenBuffer, id: number, length: number): void {
  const { count } = tokens;
  if (count === tokens.ids.length) grow(tokens);
  tokens.ids[count] = id;
  tokens.lengths[count] = length;
  tokens.literal[count] = 0;
  tokens.count = count + 1;
}

export function pushLiteralToken(tokens: TokenBuffer, id: number, length: number): void {
  pushToken(tokens, id, length);
  tokens.literal[tokens.count - 1] = 1;
}

function grow(tokens: TokenBuffer): void {
  const capacity = 2 * tokens.ids.length;
  tokens.ids = grown(tokens.ids, capacity);
  tokens.lengths = grown(tokens.lengths, capacity);
  tokens.literal = grown(tokens.literal, capacity);
}
