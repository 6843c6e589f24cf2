import type { TextBuilder } from '../aligned-text.ts';
import { memoizeByCodePoint } from '../unicode/code-point-memo.ts';
import { rewriteCharacters, type Normalizer } from './normalizer.ts';

/** Lower case, each character on its own: a final sigma is like any other. */
export const lowercase: Normalizer = (piece) => rewriteCharacters(piece, isLowercase, writeLowercase);

function isLowercase(codePoint: number): boolean {
  return codePoint < 0x80 ? codePoint < 0x41 || codePoint > 0x5a : lowerOf(codePoint) === codePoint;
}

/** The lower case of a character where it is a single character, −1 where it is more. */
const lowerOf = memoizeByCodePoint((codePoint) => {
  const lower = String.fromCodePoint(codePoint).toLowerCase();
  const single = lower.codePointAt(0)!;
  return lower.length === String.fromCodePoint(single).length ? single : -1;
});

function writeLowercase(builder: TextBuilder, codePoint: number): void {
  const lower = codePoint < 0x80 ? codePoint + 0x20 : lowerOf(codePoint);
  if (lower !== -1) {
    builder.replace(lower);
    return;
  }
  const [first, ...others] = String.fromCodePoint(codePoint).toLowerCase();
  builder.replace(first!.codePointAt(0)!);
  for (const other of others) builder.insert(other.codePointAt(0)!);
}
