import { getOrCreate } from '../../get-or-create.ts';
import { union, type CodePointRange, type CodePointSet, codePointsWith } from './code-points.ts';

const asciiClasses = findClasses([
  [0x41, 0x5a],
  [0x61, 0x7a],
]);
/** For each code point, all code points that differ only by case, in ascending order. */
let classes: ReadonlyMap<number, readonly number[]> | undefined;

/**
 * Adds to a set all code points that differ only by case, by Unicode's simple mappings. ASCII letters have two cases:
 * `ſ` doesn't match `s`. For sets beyond ASCII, takes about a hundred milliseconds the first time.
 */
export function withOtherCases(set: CodePointSet): CodePointSet {
  const isAscii = (set.at(-1)?.[1] ?? 0) < 0x80;
  const known = isAscii
    ? asciiClasses
    : (classes ??= findClasses(codePointsWith('Changes_When_Casemapped')!));
  const added: CodePointRange[] = [];
  let index = 0;
  const size = set.reduce((sum, [from, to]) => sum + to - from + 1, 0);
  for (const codePoint of size < known.size ? codePointsIn(set) : known.keys()) {
    while (index < set.length && set[index]![1] < codePoint) index++;
    const [from, to] = set[index] ?? [Infinity, Infinity];
    if (codePoint < from) continue;
    for (const other of known.get(codePoint) ?? [])
      if (other < from || other > to) added.push([other, other]);
  }
  return added.length === 0 ? set : union(set, added);
}

function findClasses(set: CodePointSet): ReadonlyMap<number, readonly number[]> {
  const byFolded = new Map<number, number[]>();
  for (const codePoint of codePointsIn(set)) {
    const folded = fold(codePoint);
    if (folded < 0x80 && codePoint >= 0x80) continue;
    getOrCreate(byFolded, folded, () => []).push(codePoint);
  }
  const all = [...byFolded.values()].flatMap((same) => same.map((one) => [one, same] as const));
  return new Map(all.sort(([a], [b]) => a - b));
}

function* codePointsIn(set: CodePointSet): Generator<number> {
  for (const [from, to] of set) for (let codePoint = from; codePoint <= to; codePoint++) yield codePoint;
}

function fold(codePoint: number): number {
  return single(
    single(codePoint, (text) => text.toUpperCase()),
    (text) => text.toLowerCase(),
  );
}

/** The case-changed code point, if it is a single code point. */
function single(codePoint: number, change: (text: string) => string): number {
  const changed = change(String.fromCodePoint(codePoint));
  const other = changed.codePointAt(0)!;
  return changed.length === (other > 0xffff ? 2 : 1) ? other : codePoint;
}
