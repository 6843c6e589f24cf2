import { codePointAt, unitsOf } from '../aligned-text.ts';
import { pushSegment, type Pattern } from './pattern.ts';

/** Matches every single character that is of a kind. */
export function createCharacterPattern(isMatch: (codePoint: number) => boolean): Pattern {
  return ({ units }, start, end, segments) => {
    let from = start;
    for (let at = start; at < end;) {
      const codePoint = codePointAt(units, at);
      const next = at + unitsOf(codePoint);
      if (isMatch(codePoint)) {
        if (from < at) pushSegment(segments, at, 0);
        pushSegment(segments, next, 1);
        from = next;
      }
      at = next;
    }
    if (from < end) pushSegment(segments, end, 0);
  };
}
