import { grown } from '../sampling/scratch.ts';

/** For how many entries working memory keeps room between texts; what longer ones need is given back. */
export const keptCapacity = 2 ** 16;

/** The tokens of a text as a model finds them. */
export interface TokenBuffer {
  count: number;
  /** `[count]` */
  ids: Int32Array;
  /**
   * `[count]` How many UTF-8 bytes of the piece each token stands for; `sameSpan` for one that stands for the same
   * bytes as the token before.
   */
  lengths: Int32Array;
  /** `[count]` 1 for a token whose text is the text that it stands for, not that of its id. */
  literal: Uint8Array;
}

/** Length of a token that stands for the same bytes as the token before it. */
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
