import { keptCapacity } from './token-buffer.ts';
import { createBoundList, pushPiece, totalLength, type BoundList, type Pieces } from './pieces.ts';
import { createSegments, type Pattern, type Segments } from './patterns/pattern.ts';

/**
 * The treatment of a match. Splitting `the-final--countdown` at `-`: - `Removed`: the final countdown - `Isolated`: the - final
 * - - countdown - `MergedWithPrevious`: the- final- - countdown - `MergedWithNext`: the -final - -countdown - `Contiguous`: the
 * - final -- countdown
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
  /** Takes what lies between matches for the matches. */
  readonly invert?: boolean;
}

let segments = createSegments();

/** Cuts every piece where a pattern matches. */
export function splitPieces(
  pieces: Pieces,
  pattern: Pattern,
  { behavior, invert = false }: SplitOptions,
): Pieces {
  const { text, bounds, count } = pieces;
  const list = createBoundList(count + (totalLength(pieces) >> 2));
  const isMatch = invert ? 0 : 1;
  const push = pushers[behavior];
  for (let piece = 0; piece < count; piece++) {
    const start = bounds[2 * piece]!;
    segments.count = 0;
    pattern(text, start, bounds[2 * piece + 1]!, segments);
    push(list, start, segments, isMatch);
  }
  if (segments.ends.length > keptCapacity) segments = createSegments();
  return { ...pieces, bounds: list.bounds, count: list.count };
}

type Push = (list: BoundList, start: number, segments: Segments, isMatch: number) => void;

const pushers: Record<SplitBehavior, Push> = {
  Removed(list, start, { ends, matched, count }, isMatch) {
    let from = start;
    for (let index = 0; index < count; index++) {
      if (matched[index] !== isMatch) pushPiece(list, from, ends[index]!);
      from = ends[index]!;
    }
  },
  Isolated(list, start, { ends, count }) {
    let from = start;
    for (let index = 0; index < count; index++) {
      pushPiece(list, from, ends[index]!);
      from = ends[index]!;
    }
  },
  Contiguous(list, start, { ends, matched, count }) {
    let from = start;
    for (let index = 0; index < count; index++) {
      if (index + 1 < count && matched[index] === matched[index + 1]) continue;
      pushPiece(list, from, ends[index]!);
      from = ends[index]!;
    }
  },
  MergedWithPrevious(list, start, { ends, matched, count }, isMatch) {
    let from = start;
    for (let index = 0; index < count; index++) {
      if (matched[index] !== isMatch && index + 1 < count && matched[index + 1] === isMatch) continue;
      pushPiece(list, from, ends[index]!);
      from = ends[index]!;
    }
  },
  MergedWithNext(list, start, { ends, matched, count }, isMatch) {
    let from = start;
    for (let index = 0; index < count; index++) {
      if (matched[index] === isMatch && index + 1 < count && matched[index + 1] !== isMatch) continue;
      pushPiece(list, from, ends[index]!);
      from = ends[index]!;
    }
  },
};
