import { toUnits } from '../code-units.ts';
import { pushSegment, type Pattern } from './pattern.ts';

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
