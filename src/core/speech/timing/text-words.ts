export interface TextWord {
  /** Without the marks around it. */
  readonly word: string;
  /** Offset of `word` in the text, in UTF-16 code units. */
  readonly offset: number;
  /** The word with its marks, which distinguish an abbreviation from the end of a sentence. */
  readonly marked: string;
}

/** A dash between words and an ellipsis separate words, with or without spaces. */
const separated = /(?:[^\s—…-]|(?<!-)-(?!-))+/gu;
const withoutSpaces =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}]/u;
let wordBreaks: Intl.Segmenter | undefined;

const opening = /^(?:[\p{Ps}\p{Pi}\p{Pf}"'¡¿*_\u2060]|[.,;:!?](?!\d))+/u;
const closing = /[\p{Pe}\p{Pi}\p{Pf}"'*_.,;:!?。、！？\u2060]+$/u;
/** `p.m.` and `U.S.` keep their last dot. */
const isDotted = /\.\p{L}$/u;

/**
 * Splits a text into words as written; languages without spaces use Unicode's dictionaries.
 * @see https://unicode.org/reports/tr29/#Word_Boundaries
 */
export function splitTextWords(text: string): TextWord[] {
  const words: TextWord[] = [];
  wordBreaks ??= new Intl.Segmenter('und', { granularity: 'word' });
  for (const { 0: chunk, index } of text.matchAll(separated)) {
    const parts = withoutSpaces.test(chunk)
      ? Array.from(wordBreaks.segment(chunk), ({ segment, index: at }) => ({ segment, at }))
      : [{ segment: chunk, at: 0 }];
    for (const { segment, at } of parts) {
      if (/^\u2060+$/.test(segment)) continue;
      const lead = opening.exec(segment)?.[0].length ?? 0;
      const bare = segment.slice(lead).replace(closing, '');
      if (bare === '') continue;
      const isCut = isDotted.test(bare) && segment[lead + bare.length] === '.';
      const word = (isCut ? `${bare}.` : bare).replaceAll('\u2060', '');
      words.push({ word, offset: index + at + lead, marked: segment });
    }
  }
  return words;
}
