import { orElse } from '../../text/or-else.ts';
/** Code points from `from` to `to`, inclusive. */
export type CodePointRange = readonly [from: number, to: number];

/** A set of code points as ascending ranges with gaps between them. */
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

const known = new Map<string, CodePointSet>();
/** All characters, in blocks of equal length in UTF-16. */
const blocks: readonly CodePointRange[] = [
  [0, 0xd7ff],
  [0xe000, 0xffff],
  [0x10000, 0x10ffff],
];

/**
 * The characters with a Unicode property as in `\\p{…}`, by the tables of the JavaScript engine; `undefined` for an
 * unknown property. Takes some milliseconds the first time.
 */
export function codePointsWith(property: string): CodePointSet | undefined {
  const set = known.get(property) ?? find(property);
  if (set) known.set(property, set);
  return set;
}

function find(property: string): CodePointSet | undefined {
  if (!/^\w+(=\w+)?$/.test(property)) return undefined;
  const expression = orElse(() => new RegExp(`\\p{${property}}+`, 'gu'), undefined);
  if (!expression) return undefined;
  return union(
    blocks.flatMap(([from, to]) => {
      const text = textOf(from, to);
      const units = from > 0xffff ? 2 : 1;
      return Array.from(text.matchAll(expression), ({ 0: run, index }): CodePointRange => {
        const first = from + index / units;
        return [first, first + run.length / units - 1];
      });
    }),
  );
}

/** All characters of a range that lies completely below or above U+FFFF. */
function textOf(from: number, to: number): string {
  const isPair = from > 0xffff;
  const units = new Uint16Array((to - from + 1) * (isPair ? 2 : 1));
  for (let codePoint = from, at = 0; codePoint <= to; codePoint++) {
    if (isPair) units[at++] = 0xd7c0 + (codePoint >> 10);
    units[at++] = isPair ? 0xdc00 + (codePoint & 0x3ff) : codePoint;
  }
  return new TextDecoder('utf-16le', { ignoreBOM: true }).decode(units);
}
