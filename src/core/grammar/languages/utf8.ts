import type { CodePointRange } from './code-points.ts';

export type ByteRange = readonly [low: number, high: number];

/** Last code points of one, two, three and four bytes. */
const lastOfLength = [0x7f, 0x7ff, 0xffff, 0x10ffff];
const surrogates: CodePointRange = [0xd800, 0xdfff];

/** The UTF-8 encodings of a range of code points as sequences of byte ranges. Surrogates have none. */
export function utf8Sequences([from, to]: CodePointRange): ByteRange[][] {
  if (from > to) return [];
  if (from <= surrogates[1] && to >= surrogates[0])
    return [...utf8Sequences([from, surrogates[0] - 1]), ...utf8Sequences([surrogates[1] + 1, to])];
  const length = lengthOf(from);
  const last = lastOfLength[length - 1]!;
  if (to > last) return [...utf8Sequences([from, last]), ...utf8Sequences([last + 1, to])];
  return alignedSequences(from, to, length);
}

/** Splits until all bytes after the first that differs run through all their values. */
function alignedSequences(from: number, to: number, length: number): ByteRange[][] {
  for (let bits = 6; bits < 6 * length; bits += 6) {
    const mask = 2 ** bits - 1;
    if (from >> bits === to >> bits) break;
    if ((from & mask) !== 0) {
      return [
        ...alignedSequences(from, from | mask, length),
        ...alignedSequences((from | mask) + 1, to, length),
      ];
    }
    if ((to & mask) !== mask) {
      return [
        ...alignedSequences(from, (to & ~mask) - 1, length),
        ...alignedSequences(to & ~mask, to, length),
      ];
    }
  }
  const low = encode(from, length);
  const high = encode(to, length);
  return [low.map((byte, index) => [byte, high[index]!] as const)];
}

function lengthOf(codePoint: number): number {
  return 1 + lastOfLength.findIndex((last) => codePoint <= last);
}

function encode(codePoint: number, length: number): number[] {
  if (length === 1) return [codePoint];
  const leading = [0, 0, 0xc0, 0xe0, 0xf0][length]! | (codePoint >> (6 * (length - 1)));
  const rest = Array.from(
    { length: length - 1 },
    (_, index) => 0x80 | ((codePoint >> (6 * (length - 2 - index))) & 63),
  );
  return [leading, ...rest];
}

/** UTF-8 bytes of well-formed text; a lone surrogate becomes U+FFFD. */
export function utf8Bytes(text: string): number[] {
  return Array.from(text, (character) => {
    const codePoint = character.codePointAt(0)!;
    const known = codePoint >= surrogates[0] && codePoint <= surrogates[1] ? 0xfffd : codePoint;
    return encode(known, lengthOf(known));
  }).flat();
}

/** The text of well-formed UTF-8. */
export function utf8Text(bytes: readonly number[]): string {
  return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
}
