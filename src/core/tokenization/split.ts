import { keptCapacity } from './token-buffer.ts';
import { createBoundList, pushPiece, totalLength, type Pieces } from './pieces.ts';
import { createSegments, type Pattern } from './patterns/pattern.ts';

/**
 * What happens to matches. `the-final--countdown` at `-`: Removed → the|final|countdown, Isolated →
 * the|-|final|-|-|countdown, MergedWithPrevious → the-|final-|-|countdown, MergedWithNext → the|-final|-|-countdown,
 * Contiguous → the|-|final|--|countdown.
 */
export const splitBehaviors = [
  'Removed',
  'Isolated',
  'MergedWithPrevious',
  'MergedWithNext',
  'Contiguous',
] as const;

export type SplitBehavior = (typeof splitBehaviors)[number];

export interface SplitOptions {
  readonly behavior: SplitBehavior;
  /** Swaps matches and gaps. */
  readonly invert?: boolean;
}

let segments = createSegments();

export function splitPieces(
  pieces: Pieces,
  pattern: Pattern,
  { behavior, invert = false }: SplitOptions,
): Pieces {
  const { text, bounds, count } = pieces;
  const list = createBoundList(count + (totalLength(pieces) >> 2));
  const match = invert ? 0 : 1;
  for (let piece = 0; piece < count; piece++) {
    let start = bounds[2 * piece]!;
    segments.count = 0;
    pattern(text, start, bounds[2 * piece + 1]!, segments);
    const { ends, matched } = segments;
    for (let index = 0; index < segments.count; index++) {
      const isMatch = matched[index] === match;
      const isLast = index + 1 === segments.count;
      if (!isLast && isJoined(behavior, isMatch, matched[index + 1] === match)) continue;
      if (behavior !== 'Removed' || !isMatch) pushPiece(list, start, ends[index]!);
      start = ends[index]!;
    }
  }
  if (segments.ends.length > keptCapacity) segments = createSegments();
  return { ...pieces, bounds: list.bounds, count: list.count };
}

/** Whether a segment is joined with the next. */
function isJoined(behavior: SplitBehavior, isMatch: boolean, isNextMatch: boolean): boolean {
  if (behavior === 'Contiguous') return isMatch === isNextMatch;
  if (behavior === 'MergedWithPrevious') return !isMatch && isNextMatch;
  return behavior === 'MergedWithNext' && isMatch && !isNextMatch;
}
