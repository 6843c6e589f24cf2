/** A word and the tokens that spell it. */
export interface TokenWord {
  /** With the space before it. */
  readonly text: string;
  /** The tokens `[start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** Word boundaries of `splitWords`. */
export interface WordOptions {
  /** Whether the language is written with spaces between words; without them each character is a word. */
  readonly spaced: boolean;
}

const opening = new Set(['"', "'", '“', '¿', '(', '[', '{', '-', '«']);
const closing = new Set('"\'.。,，!！?？:：”)]}、»;；…');
const replacementCharacter = '\uFFFD';

/**
 * Divides tokens into words; punctuation belongs to the word that it stands at.
 *
 * @param tokens of a text, no special ones
 * @param decode ids → text, U+FFFD where it ends inside of a character
 *
 * @example
 * ```ts
 * splitWords([1, 2, 3], (ids) => ids.map((id) => ['', ' Hel', 'lo', '!'][id]).join(''), { spaced: true });
 * // [{ text: ' Hello!', start: 0, end: 3 }]
 * ```
 */
export function splitWords(
  tokens: readonly number[],
  decode: (ids: readonly number[]) => string,
  { spaced }: WordOptions,
): TokenWord[] {
  const words: TokenWord[] = [];
  for (const piece of splitCharacters(tokens, decode)) {
    const word = words.at(-1);
    const joins = word !== undefined && (spaced ? continues(piece.text) : closing.has(piece.text.trim()));
    if (word && (joins || isOpening(word.text))) {
      words[words.length - 1] = { text: word.text + piece.text, start: word.start, end: piece.end };
    } else words.push(piece);
  }
  return words;
}

/** Whether a piece belongs to the word before it: it has no space in front, or is a mark that closes. */
function continues(text: string): boolean {
  const mark = text.trim();
  return !/^\s/u.test(text) || (closing.has(mark) && !opening.has(mark));
}

/** Whether a word is only a mark that opens the next one. */
function isOpening(text: string): boolean {
  return /^\s/u.test(text) && opening.has(text.trim());
}

/** The fewest tokens that spell whole characters. */
function splitCharacters(tokens: readonly number[], decode: (ids: readonly number[]) => string): TokenWord[] {
  const pieces: TokenWord[] = [];
  let start = 0;
  for (let end = 1; end <= tokens.length; end++) {
    const text = decode(tokens.slice(start, end));
    if (text.includes(replacementCharacter) && end < tokens.length) continue;
    pieces.push({ text, start, end });
    start = end;
  }
  return pieces;
}
