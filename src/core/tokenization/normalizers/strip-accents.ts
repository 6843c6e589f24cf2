import { isInRanges, notCombiningMarks } from '../unicode/newer-characters.ts';
import { rewriteCharacters, type Normalizer } from './normalizer.ts';

const mark = /^\p{M}$/u;

/** Leaves combining marks out. */
export const stripAccents: Normalizer = (piece) =>
  rewriteCharacters(
    piece,
    (codePoint) => codePoint < 0x3_00 || !isCombiningMark(codePoint),
    (builder) => builder.skip(),
  );

function isCombiningMark(codePoint: number): boolean {
  if (codePoint === 0x1c_f2 || codePoint === 0x1c_f3) return true; // marks until Unicode 12
  return mark.test(String.fromCodePoint(codePoint)) && !isInRanges(codePoint, notCombiningMarks);
}
