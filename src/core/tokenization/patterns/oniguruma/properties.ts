import { orElse } from '../../../text/or-else.ts';
import { newerSymbols, newerThanUnicode16, type CodePointRanges } from '../../unicode/newer-characters.ts';
import type { Reader } from './reader.ts';

/** `\w` */
export const word = String.raw`[\p{Alphabetic}\p{M}\p{Nd}\p{Pc}\u{b2}\u{b3}\u{b9}\u{bc}-\u{be}]`;

/** Sets by their POSIX names. */
export const bracketNames: Readonly<Record<string, string>> = {
  alnum: String.raw`[\p{Alphabetic}\p{Nd}]`,
  alpha: String.raw`\p{Alphabetic}`,
  ascii: String.raw`[\u{0}-\u{7f}]`,
  blank: String.raw`[\p{Zs}\t]`,
  cntrl: String.raw`\p{Cc}`,
  digit: String.raw`\p{Nd}`,
  graph: String.raw`[^\p{White_Space}\p{Cc}\p{Cn}\p{Cs}]`,
  lower: String.raw`\p{Lowercase}`,
  print: String.raw`[[^\p{White_Space}\p{Cc}\p{Cn}\p{Cs}]\p{Zs}]`,
  punct: String.raw`[\p{P}\p{S}]`,
  space: String.raw`\p{White_Space}`,
  upper: String.raw`\p{Uppercase}`,
  xdigit: '[0-9a-fA-F]',
  word,
  any: String.raw`[\s\S]`,
};

/** Reads `{L}`, `{^Han}` and the like. */
export function property(reader: Reader, negated: boolean): string {
  if (!reader.take('{')) throw reader.failure('missing {');
  const inverted = reader.take('^') !== negated;
  let name = '';
  while (!reader.take('}')) name += reader.next();
  const set = bracketNames[name.toLowerCase()] ?? findProperty(name);
  if (set === undefined) throw reader.failure(`unknown property ${JSON.stringify(name)}`);
  return inverted ? `[^${withoutNewer(set)}]` : withoutNewer(set);
}

function findProperty(name: string): string | undefined {
  if (!/^\w+$/.test(name)) return undefined;
  const capitalized = name.toLowerCase().replace(/(?:^|_)[a-z]/g, (initial) => initial.toUpperCase());
  for (const candidate of [name, capitalized, name.toUpperCase()]) {
    for (const set of [`\\p{${candidate}}`, `\\p{Script=${candidate}}`])
      if (orElse(() => new RegExp(set, 'v'), undefined)) return set;
  }
  return undefined;
}

const newerRanges: CodePointRanges = [...newerThanUnicode16, ...newerSymbols];
const newer = `[${toClassMembers(newerRanges)}]`;

/** A set without the characters that are newer than the reference's Unicode tables. */
export function withoutNewer(set: string): string {
  const pattern = new RegExp(`^${set}$`, 'v');
  const knows = (codePoint: number): boolean => pattern.test(String.fromCodePoint(codePoint));
  return newerRanges.some(knows) && !knows(unassigned) ? `[${set}--${newer}]` : set;
}

/** Not assigned in any Unicode version; only complements of sets contain it. */
const unassigned = 0x3_78;

function toClassMembers(ranges: CodePointRanges): string {
  let members = '';
  for (let index = 0; index < ranges.length; index += 2)
    members += `\\u{${ranges[index]!.toString(16)}}-\\u{${ranges[index + 1]!.toString(16)}}`;
  return members;
}
