/** Counts the characters of a text by its tokens. */
export interface TextOffsets {
  /** The next tokens are no part of the text. */
  hide(count: number): void;
  /** @returns the code points of the text before a token of these bytes, which comes next */
  next(bytes: readonly number[]): number;
}

/** Bytes of UTF-8 that go on with a character. */
const isContinuation = (byte: number): boolean => (byte & 0xc0) === 0x80;

/** Makes a counter for one text. A character that several tokens make up begins with the first of them. */
export function createTextOffsets(): TextOffsets {
  let hidden = 0;
  let characters = 0;
  return {
    hide(count) {
      hidden = count;
    },
    next(bytes) {
      const offset = characters;
      if (hidden > 0) hidden--;
      else for (const byte of bytes) if (!isContinuation(byte)) characters++;
      return offset;
    },
  };
}
