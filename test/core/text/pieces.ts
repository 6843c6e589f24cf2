import * as fc from 'fast-check';

/** A text together with a way to cut it into pieces, anywhere, also inside surrogate pairs. */
export function cutTexts(texts: fc.Arbitrary<string>): fc.Arbitrary<{ text: string; pieces: string[] }> {
  return fc
    .tuple(texts, fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 20 }))
    .map(([text, lengths]) => ({ text, pieces: cut(text, lengths) }));
}

/** Cuts a text into pieces of the given lengths, used in turn. */
export function cut(text: string, lengths: readonly number[]): string[] {
  const pieces: string[] = [];
  for (let from = 0, turn = 0; from < text.length; turn++) {
    const length = lengths[turn % lengths.length] ?? 1;
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return pieces;
}

/** Texts made of the given words in any order: much more likely to hold markers than random characters are. */
export function soup(...words: string[]): fc.Arbitrary<string> {
  return fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((parts) => parts.join(''));
}
