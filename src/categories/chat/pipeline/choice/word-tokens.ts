import type { TextTokenizer } from '../../../../models/tokenizer.ts';

const tests = new WeakMap<TextTokenizer, (token: number) => boolean>();

/** Tells tokens with a letter or digit, or a part of a character beyond ASCII, from punctuation and white space. */
export function wordTestOf(tokenizer: TextTokenizer): (token: number) => boolean {
  let test = tests.get(tokenizer);
  if (!test) {
    const known = new Map<number, boolean>();
    test = (token) => {
      let isWord = known.get(token);
      if (isWord === undefined) known.set(token, (isWord = tokenizer.bytesOf(token).some(isOfWord)));
      return isWord;
    };
    tests.set(tokenizer, test);
  }
  return test;
}

function isOfWord(byte: number): boolean {
  const letter = byte | 0x20;
  return byte >= 0x80 || (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x7a);
}
