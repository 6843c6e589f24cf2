import { getOrCreate } from '../../get-or-create.ts';
import { codePointsOf, complement, intersection, union, type CodePointRange } from './code-points.ts';
import { plainText } from './json-text.ts';
import type { Run } from './language.ts';

const marks = Array.from(" !#$%&'()*+,-./:;=?@_~", codePointsOf);
const letters = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ'];
const common = [...marks, ...letters.map(codePointsOf)];
const others = intersection(plainText, complement(union(...common)));
/** Groups of `plainText` characters that patterns tend to include together; the last group is non-ASCII. */
const kinds = [...common, intersection(others, [[0, 0x7f]]), intersection(others, [[0x80, 0x10ffff]])];

export const allKinds = 2 ** kinds.length - 1;
export const noRun: Run = { kinds: 0, characters: 0 };
export const anyRun: Run = { kinds: allKinds, characters: Infinity };

/** The kind of each byte of text, or of a part of its character. */
export const kindOfByte = Uint32Array.from({ length: 256 }, (_, byte) => {
  const kind = kinds.findIndex((set) => set.some(([from, to]) => byte >= from && byte <= to));
  return 2 ** (byte < 0x80 ? Math.max(0, kind) : kinds.length - 1);
});

const known = new WeakMap<readonly CodePointRange[], number>();

/** The kinds with all their characters in these ranges. */
export function kindsOf(ranges: readonly CodePointRange[]): number {
  return getOrCreate(known, ranges, () => {
    const set = union(ranges);
    const isWithin = ([from, to]: CodePointRange): boolean =>
      set.some(([low, high]) => low <= from && high >= to);
    return kinds.reduce((sum, kind, index) => sum + (kind.every(isWithin) ? 2 ** index : 0), 0);
  });
}

/** The run that decides more tokens, approximately. */
export function longer(a: Run, b: Run): Run {
  return weightOf(b) > weightOf(a) ? b : a;
}

function weightOf({ kinds: own, characters }: Run): number {
  return own * Math.min(characters, 32);
}
