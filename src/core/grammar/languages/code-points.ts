/** Code points from `from` to `to`, both inclusive. */
export type CodePointRange = readonly [from: number, to: number];

/** Sets of code points as ranges that ascend and don't touch. */
export type CodePointSet = readonly CodePointRange[];

const lastCodePoint = 0x10ffff;

export function union(...sets: readonly CodePointSet[]): CodePointSet {
  const merged: [number, number][] = [];
  for (const [from, to] of sets.flat().sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

export function complement(set: CodePointSet): CodePointSet {
  const rest: CodePointRange[] = [];
  let next = 0;
  for (const [from, to] of set) {
    if (from > next) rest.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= lastCodePoint) rest.push([next, lastCodePoint]);
  return rest;
}

export function intersection(a: CodePointSet, b: CodePointSet): CodePointSet {
  return complement(union(complement(a), complement(b)));
}

export function codePointsOf(text: string): CodePointSet {
  return union(Array.from(text, (character) => [character.codePointAt(0)!, character.codePointAt(0)!]));
}
