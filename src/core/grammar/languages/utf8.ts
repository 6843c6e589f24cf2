import type { CodePointRange } from './code-points.ts';

export type ByteRange = readonly [low: number, high: number];

/** Last code points of one, two, three and four bytes. */
const lastOfLength = [0x7f, 0x7ff, 0xffff, 0x10ffff];
const surrogates: CodePointRange = [0xd800, 0xdfff];

/** The UTF-8 encodings of a range of code points as sequences of byte ranges. Surrogates have no encoding. */
export function utf8Sequences([from, to]: CodePointRange): ByteRange[][] {
  if (from > to) return [];
  if (from <= surrogates[1] && to >= surrogates[0])
    return [...utf8Sequences([from, surrogates[0] - 1]), ...utf8Sequences([surrogates[1] + 1, to])];
  const length = lengthOf(from);
  const last = lastOfLength[length - 1]!;
  if (to > last) return [...utf8Sequences([from, last]), ...utf8Sequences([last + 1, to])];
  return alignedSequences(from, to, length);
}

/** Splits until all bytes after the first different byte cover their full range. */
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
  const low = utf8Bytes(String.fromCodePoint(from));
  const high = utf8Bytes(String.fromCodePoint(to));
  return [low.map((byte, index) => [byte, high[index]!] as const)];
}

function lengthOf(codePoint: number): number {
  return 1 + lastOfLength.findIndex((last) => codePoint <= last);
}

const encoder = new TextEncoder();

/** The UTF-8 bytes of a text; a lone surrogate becomes U+FFFD. */
export function utf8Bytes(text: string): number[] {
  return [...encoder.encode(text)];
}

/** The text of well-formed UTF-8. */
export function utf8Text(bytes: readonly number[]): string {
  return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''));
}

/** Length of the common prefix of all texts, known to be at least `from`. */
export function sharedLength(texts: readonly ArrayLike<number>[], from = 0): number {
  const [first = []] = texts;
  let length = from;
  while (length < first.length && texts.every((text) => text[length] === first[length])) length++;
  return length;
}
