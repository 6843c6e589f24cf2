/** All tokens of a sequence so far, oldest first. */
export interface TokenHistory {
  /** The first `size` entries count. Another array after it has grown. */
  readonly tokens: Int32Array;
  readonly size: number;
  accept(token: number): void;
}

export function createTokenHistory(): TokenHistory {
  let tokens = new Int32Array(64);
  let size = 0;
  return {
    get tokens() {
      return tokens;
    },
    get size() {
      return size;
    },
    accept(token) {
      if (size === tokens.length) {
        const grown = new Int32Array(size * 2);
        grown.set(tokens);
        tokens = grown;
      }
      tokens[size++] = token;
    },
  };
}
