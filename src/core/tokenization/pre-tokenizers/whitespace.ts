import { codePointAt } from '../aligned-text.ts';
import { createCharacterPattern } from '../patterns/character-pattern.ts';
import { pushSegment, type Pattern } from '../patterns/pattern.ts';
import { otherRunEnd, runEnd } from '../patterns/scan.ts';
import type { PreTokenizer } from '../pieces.ts';
import { splitPieces } from '../split.ts';
import { classOf, space, word } from '../unicode/character-class.ts';

/** `\w+|[^\w\s]+` */
const wordPattern: Pattern = ({ units }, start, end, segments) => {
  for (let at = start; at < end;) {
    const kind = classOf(codePointAt(units, at));
    const isSpace = (kind & space) !== 0;
    let next: number;
    if (isSpace) next = runEnd(units, at, end, space);
    else if (kind & word) next = runEnd(units, at, end, word);
    else next = otherRunEnd(units, at, end, word | space);
    pushSegment(segments, next, isSpace ? 0 : 1);
    at = next;
  }
};

/** Cuts into words, and runs of what is neither word nor white space. */
export const whitespace: PreTokenizer = (pieces) =>
  splitPieces(pieces, wordPattern, { behavior: 'Removed', invert: true });

const spacePattern = createCharacterPattern((codePoint) => (classOf(codePoint) & space) !== 0);

/** Cuts at white space. */
export const whitespaceSplit: PreTokenizer = (pieces) =>
  splitPieces(pieces, spacePattern, { behavior: 'Removed' });
