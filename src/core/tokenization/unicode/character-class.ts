import { isInRanges, isNewer, newerThanUnicode16, notPunctuation } from './newer-characters.ts';

const pageSize = 256;

/** Memoizes a function of code points, in pages that are allocated on first use. */
export function memoizeByCodePoint(find: (codePoint: number) => number): (codePoint: number) => number {
  const pages: (Int32Array | undefined)[] = Array.from({ length: 0x11_00_00 / pageSize }, () => undefined);
  return (codePoint) => {
    const page = (pages[codePoint >> 8] ??= new Int32Array(pageSize));
    const at = codePoint & (pageSize - 1);
    // 0 marks an unknown value.
    if (page[at] === 0) {
      const found = find(codePoint);
      page[at] = found < 0 ? found : found + 1;
    }
    return page[at]! < 0 ? page[at]! : page[at]! - 1;
  };
}

/** `\s`: White_Space */
export const space = 4;
/** The characters that `\w` matches in the Rust library's built-in patterns. */
export const word = 8;
/** ASCII punctuation and `\p{P}` */
export const punctuation = 16;
const known = 128;

const kinds: readonly (readonly [number, RegExp])[] = [
  [space, /\p{White_Space}/u],
  [word, /[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\p{Join_Control}]/u],
  [punctuation, /[\p{P}$+<=>^`|~]/u],
];

/** Characters that were punctuation in older Unicode versions than the engine's. */
const formerPunctuation: ReadonlySet<number> = new Set([0x16_6d, 0x1_11_c9]);

/** Filled on demand; untouched pages take no memory. */
const classes = new Uint8Array(0x11_00_00);

/** The kinds of a character, as the sum of the constants above. */
export function classOf(codePoint: number): number {
  const kind = classes[codePoint]!;
  return kind === 0 ? classify(codePoint) : kind;
}

function classify(codePoint: number): number {
  const character = String.fromCodePoint(codePoint);
  let kind = known;
  for (const [bit, pattern] of kinds) if (pattern.test(character)) kind |= bit;
  if (isInRanges(codePoint, newerThanUnicode16)) kind = known;
  if (isNewer(codePoint, notPunctuation)) kind &= ~punctuation;
  if (formerPunctuation.has(codePoint)) kind |= punctuation;
  classes[codePoint] = kind;
  return kind;
}
