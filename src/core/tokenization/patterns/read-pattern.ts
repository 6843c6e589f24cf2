import { readMembers, readString } from '../definition.ts';
import { type Pattern, pushSegment } from './pattern.ts';
import { createRegularExpressionPattern } from './regular-expression.ts';
import { toUnits } from '../code-units.ts';

/** Reads `{ String: … }` or `{ Regex: … }`. */
export function readPattern(label: string, value: unknown): Pattern {
  const members = readMembers(label, value);
  if (members['Regex'] !== undefined) {
    const at = `${label}.Regex`;
    return createRegularExpressionPattern(at, readString(at, members['Regex']));
  }
  const literal = readString(`${label}.String`, members['String']);
  return literal === '' ? createRegularExpressionPattern(label, '') : createLiteralPattern(literal);
}

/** Matches a text as it stands, from left to right. */
export function createLiteralPattern(literal: string): Pattern {
  const wanted = toUnits(literal);
  const { length } = wanted;
  return ({ units }, start, end, segments) => {
    let from = start;
    for (let at = start; at + length <= end;) {
      let matching = 0;
      while (matching < length && units[at + matching] === wanted[matching]) matching++;
      if (matching < length) {
        at++;
        continue;
      }
      if (from < at) pushSegment(segments, at, 0);
      at += length;
      pushSegment(segments, at, 1);
      from = at;
    }
    if (from < end) pushSegment(segments, end, 0);
  };
}
