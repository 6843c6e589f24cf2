import { characterOfByte } from '../byte-characters.ts';
import { isHighSurrogate, isLowSurrogate } from '../aligned-text.ts';
import type { PartialEncoding } from '../encoding.ts';
import { classOf, space } from '../unicode/character-class.ts';

const blank = characterOfByte[0x20];

/**
 * Takes white space out of the spans of tokens, but not a blank that was put in front of the text. It is counted in
 * characters, whatever the characters of the text are that it came from.
 */
export function trimOffsets(
  encoding: PartialEncoding,
  { addPrefixSpace }: { addPrefixSpace: boolean },
): PartialEncoding {
  const { source = '' } = encoding;
  const offsets = encoding.offsets.slice();
  for (const [index, token] of encoding.tokens.entries()) {
    let leading = leadingSpaces(token);
    let start = offsets[2 * index]!;
    const end = offsets[2 * index + 1]!;
    if (leading === 1 && addPrefixSpace && (index === 0 || start === 0)) leading = 0;
    for (; leading > 0 && start < end; leading--) start += isHighSurrogate(source.charCodeAt(start)) ? 2 : 1;
    offsets[2 * index] = start;
    offsets[2 * index + 1] = Math.max(start, back(source, end, trailingSpaces(token)));
  }
  return {
    ...encoding,
    offsets,
    overflowing: encoding.overflowing.map((part) => trimOffsets(part, { addPrefixSpace })),
  };
}

/** Index that many characters before a place; the place itself if fewer precede it. */
function back(source: string, place: number, count: number): number {
  let at = place;
  for (let left = count; left > 0; left--) {
    if (at <= 0) return place;
    at -= isLowSurrogate(source.charCodeAt(at - 1)) ? 2 : 1;
  }
  return at;
}

function isSpace(unit: number): boolean {
  return unit === blank || (classOf(unit) & space) !== 0;
}

function leadingSpaces(token: string): number {
  let count = 0;
  while (count < token.length && isSpace(token.charCodeAt(count))) count++;
  return count;
}

function trailingSpaces(token: string): number {
  let count = 0;
  while (count < token.length && isSpace(token.charCodeAt(token.length - 1 - count))) count++;
  return count;
}
