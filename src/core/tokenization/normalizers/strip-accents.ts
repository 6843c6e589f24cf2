import { isInRanges, notCombiningMarks } from '../unicode/newer-characters.ts';
import { createCharacterNormalizer } from './character-rewriter.ts';

const mark = /^\p{M}$/u;

/** Leaves combining marks out. */
export const stripAccents = createCharacterNormalizer((character) =>
  isCombiningMark(character) ? '' : character,
);

function isCombiningMark(character: string): boolean {
  const codePoint = character.codePointAt(0)!;
  if (codePoint === 0x1c_f2 || codePoint === 0x1c_f3) return true; // marks until Unicode 12
  return mark.test(character) && !isInRanges(codePoint, notCombiningMarks);
}
