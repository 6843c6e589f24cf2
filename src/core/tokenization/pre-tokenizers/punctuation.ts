import { readChoice, type Members } from '../definition.ts';
import { createCharacterPattern } from '../patterns/character-pattern.ts';
import type { PreTokenizer } from '../pieces.ts';
import { splitBehaviors, splitPieces } from '../split.ts';
import { classOf, punctuation } from '../unicode/character-class.ts';
import { spacePattern } from './whitespace.ts';

const punctuationPattern = createCharacterPattern((codePoint) => (classOf(codePoint) & punctuation) !== 0);

/** Cuts at punctuation. */
export function readPunctuation(label: string, members: Members): PreTokenizer {
  const behavior = readChoice(`${label}.behavior`, members['behavior'] ?? 'Isolated', splitBehaviors);
  return (pieces) => splitPieces(pieces, punctuationPattern, { behavior });
}

/** Cuts at white space, and at punctuation, which is kept. */
export const bertPreTokenizer: PreTokenizer = (pieces) =>
  splitPieces(splitPieces(pieces, spacePattern, { behavior: 'Removed' }), punctuationPattern, {
    behavior: 'Isolated',
  });
