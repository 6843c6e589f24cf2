import { codePointAt, unitsOf } from '../aligned-text.ts';
import { readChoice, type Members } from '../definition.ts';
import { createCharacterPattern } from '../patterns/character-pattern.ts';
import { createBoundList, pushPiece, totalLength, type PreTokenizer } from '../pieces.ts';
import { splitBehaviors, splitPieces } from '../split.ts';
import { classOf, punctuation, space } from '../unicode/character-class.ts';

const punctuationPattern = createCharacterPattern((codePoint) => (classOf(codePoint) & punctuation) !== 0);

/** Cuts at punctuation. */
export function readPunctuation(label: string, members: Members): PreTokenizer {
  const behavior = readChoice(`${label}.behavior`, members['behavior'] ?? 'Isolated', splitBehaviors);
  return (pieces) => splitPieces(pieces, punctuationPattern, { behavior });
}

/** Cuts at white space, and at punctuation, which is kept. */
export const bertPreTokenizer: PreTokenizer = (pieces) => {
  const { text, bounds, count } = pieces;
  const { units } = text;
  const list = createBoundList(count + (totalLength(pieces) >> 2));
  for (let piece = 0; piece < count; piece++) {
    const end = bounds[2 * piece + 1]!;
    let from = bounds[2 * piece]!;
    for (let at = from; at < end;) {
      const codePoint = codePointAt(units, at);
      const next = at + unitsOf(codePoint);
      const kind = classOf(codePoint);
      if ((kind & (space | punctuation)) !== 0) {
        pushPiece(list, from, at);
        if ((kind & punctuation) !== 0) pushPiece(list, at, next);
        from = next;
      }
      at = next;
    }
    pushPiece(list, from, end);
  }
  return { ...pieces, bounds: list.bounds, count: list.count };
};
