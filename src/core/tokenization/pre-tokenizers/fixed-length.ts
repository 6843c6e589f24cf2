import { codePointAt, unitsOf } from '../aligned-text.ts';
import { readInteger, type Members } from '../definition.ts';
import { pushSegment, type Pattern } from '../patterns/pattern.ts';
import type { PreTokenizer } from '../pieces.ts';
import { splitPieces } from '../split.ts';

/** Cuts after every so many characters. */
export function readFixedLength(label: string, members: Members): PreTokenizer {
  const length = readInteger(`${label}.length`, members['length'] ?? 5, 1, Number.MAX_SAFE_INTEGER);
  const pattern: Pattern = ({ units }, start, end, segments) => {
    let count = 0;
    for (let at = start; at < end;) {
      at += unitsOf(codePointAt(units, at));
      if (++count % length === 0 || at === end) pushSegment(segments, at, 1);
    }
  };
  return (pieces) => splitPieces(pieces, pattern, { behavior: 'Isolated' });
}
