import { assertFlag, assertFunction, assertObject, assertTokens } from '../../assert-values.ts';
/** A word and the tokens that spell it. */
export interface TokenWord {
  /** With the preceding space. */
  readonly text: string;
  /** The tokens `[start, end)`. */
  readonly start: number;
  readonly end: number;
  /** The tokens `[spokenStart, spokenEnd)`, without the punctuation around the word, which takes no time. */
  readonly spokenStart: number;
  readonly spokenEnd: number;
}

type Piece = Omit<TokenWord, 'spokenStart' | 'spokenEnd'>;

/** How the text of the tokens forms words. */
export interface WordOptions {
  /** Whether the language is written with spaces between words; without them each character is a word. */
  readonly spaced: boolean;
}

const opening = new Set(['"', "'", '“', '¿', '(', '[', '{', '-', '«']);
const closing = new Set('"\'.。,，!！?？:：”)]}、»;；…');
const replacementCharacter = '\uFFFD';

/**
 * Divides tokens into words; punctuation belongs to the adjacent word.
 *
 * @param tokens of a text, without special tokens
 * @param decode ids → text, U+FFFD if they end within a character
 *
 * @example
 * ```ts
 * splitWords([1, 2, 3], (ids) => ids.map((id) => ['', ' Hel', 'lo', '!'][id]).join(''), { spaced: true });
 * // [{ text: ' Hello!', start: 0, end: 3, spokenStart: 0, spokenEnd: 2 }]
 * ```
 */
export function splitWords(
  tokens: readonly number[],
  decode: (ids: readonly number[]) => string,
  options: WordOptions,
): TokenWord[] {
  assertTokens('tokens', tokens);
  assertFunction('decode', decode);
  assertObject('options', options);
  const { spaced } = options;
  assertFlag('spaced', spaced);
  const words: TokenWord[] = [];
  for (const piece of splitCharacters(tokens, decode)) {
    const { start, end } = piece;
    const spoken = { spokenStart: start, spokenEnd: end };
    const word = words.at(-1);
    if (word === undefined) words.push({ ...piece, ...spoken });
    else if (isOpening(word.text)) words[words.length - 1] = joined(word, piece, spoken);
    else if (isClosing(piece.text)) words[words.length - 1] = joined(word, piece, {});
    else if (spaced && !/^\s/u.test(piece.text))
      words[words.length - 1] = joined(word, piece, { spokenEnd: end });
    else words.push({ ...piece, ...spoken });
  }
  return words;
}

function joined(word: TokenWord, piece: Piece, spoken: Partial<TokenWord>): TokenWord {
  return { ...word, text: word.text + piece.text, end: piece.end, ...spoken };
}

/** Whether a piece is closing punctuation of the previous word; after a space, a quotation mark opens the next word. */
function isClosing(text: string): boolean {
  const mark = text.trim();
  return mark !== '' && [...mark].every((one) => closing.has(one)) && !isOpening(text);
}

/** Whether a word is only an opening mark of the next word. */
function isOpening(text: string): boolean {
  return /^\s/u.test(text) && opening.has(text.trim());
}

/** The shortest runs of tokens that decode to whole characters. */
function splitCharacters(tokens: readonly number[], decode: (ids: readonly number[]) => string): Piece[] {
  const pieces: Piece[] = [];
  let start = 0;
  for (let end = 1; end <= tokens.length; end++) {
    const text = decode(tokens.slice(start, end));
    if (text.includes(replacementCharacter) && end < tokens.length) continue;
    pieces.push({ text, start, end });
    start = end;
  }
  return pieces;
}
