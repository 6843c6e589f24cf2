import { grown } from '../../sampling/scratch.ts';
import { type AlignedText, codePointAt, unitsOf } from '../aligned-text.ts';

/** The result of a pattern on a piece: segments that cover it, each a match or the gap between two matches. */
export interface Segments {
  count: number;
  /** `[count]` The end of each segment. The first segment begins with the piece. */
  ends: Int32Array;
  /** `[count]` 1 for a match. */
  matched: Uint8Array;
}

/** Splits a piece of a text into segments and appends them. Matches may be empty, gaps aren't. */
export type Pattern = (text: AlignedText, start: number, end: number, segments: Segments) => void;

export function createSegments(): Segments {
  return { count: 0, ends: new Int32Array(256), matched: new Uint8Array(256) };
}

export function pushSegment(segments: Segments, end: number, matched: 0 | 1): void {
  const { count } = segments;
  if (count === segments.ends.length) {
    segments.ends = grown(segments.ends, 2 * count);
    segments.matched = grown(segments.matched, 2 * count);
  }
  segments.ends[count] = end;
  segments.matched[count] = matched;
  segments.count = count + 1;
}

/** Matches every single character for which `isMatch` holds. */
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
