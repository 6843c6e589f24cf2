import { codePointAt, unitsOf, type Piece, type TextBuilder } from '../aligned-text.ts';
import { memoizeByCodePoint } from '../unicode/character-class.ts';
import { openBuilder, wholePiece, type Normalizer } from './normalizer.ts';

/** The result for a character is a code point, one of these constants, or −3 − the index of a text. */
const removed = -1;
const undecided = -2;
const firstText = -3;

/** Creates a normalizer that rewrites a text character by character. Results are cached per character. */
export function createCharacterRewriter(
  rewrite: (character: string) => string | undefined,
): (piece: Piece) => Piece | undefined {
  const texts: (readonly number[])[] = [];

  const rewritten = memoizeByCodePoint((codePoint) => {
    const text = rewrite(String.fromCodePoint(codePoint));
    if (text === undefined) return undecided;
    if (text === '') return removed;
    const characters = Array.from(text, (character) => character.codePointAt(0)!);
    return characters.length === 1 ? characters[0]! : firstText - (texts.push(characters) - 1);
  });

  return (piece) => {
    const { text, start, end } = piece;
    const { units } = text;
    let builder: TextBuilder | undefined;
    for (let at = start; at < end;) {
      const codePoint = codePointAt(units, at);
      const becomes = rewritten(codePoint);
      if (becomes === undecided) return undefined;
      if (becomes !== codePoint) {
        builder ??= openBuilder(piece);
        builder.copyTo(at);
        if (becomes >= 0) builder.replace(becomes);
        else if (becomes === removed) builder.skip();
        else builder.replaceByAll(texts[firstText - becomes]!);
      }
      at += unitsOf(codePoint);
    }
    if (!builder) return piece;
    builder.copyTo(end);
    return wholePiece(builder);
  };
}

/** Like `createCharacterRewriter`, for context-free rewriting. */
export function createCharacterNormalizer(rewrite: (character: string) => string): Normalizer {
  const normalize = createCharacterRewriter(rewrite);
  return (piece) => normalize(piece)!;
}

/** Lower case without context: a final sigma isn't special. */
export const lowercaseCharacter = (character: string): string => character.toLowerCase();

export const lowercase = createCharacterNormalizer(lowercaseCharacter);
