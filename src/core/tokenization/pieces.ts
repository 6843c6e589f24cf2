import { grown } from '../sampling/scratch.ts';
import { type AlignedText, createTextBuilder, type TextBuilder } from './aligned-text.ts';
import { keptCapacity } from './token-buffer.ts';
import { createSegments, type Pattern } from './patterns/pattern.ts';

/** A text split into pieces; the gaps between pieces are dropped. */
export interface Pieces {
  readonly text: AlignedText;
  /** Bounds of the pieces: start, end, start, end, … */
  readonly bounds: Int32Array;
  /** Number of pieces. No piece is empty. */
  readonly count: number;
  /** Whether each UTF-8 byte of the text is to become a character. */
  readonly asBytes: boolean;
}

/** Splits pieces into smaller ones, and may rewrite them. */
export type PreTokenizer = (pieces: Pieces) => Pieces;

export interface BoundList {
  bounds: Int32Array;
  count: number;
}

function createBoundList(capacity: number): BoundList {
  return { bounds: new Int32Array(2 * Math.max(8, capacity)), count: 0 };
}

/** Appends a piece unless it is empty. */
function pushPiece(list: BoundList, start: number, end: number): void {
  if (start === end) return;
  const at = 2 * list.count++;
  if (at === list.bounds.length) list.bounds = grown(list.bounds, 2 * at);
  list.bounds[at] = start;
  list.bounds[at + 1] = end;
}

function totalLength({ bounds, count }: Pieces): number {
  let total = 0;
  for (let piece = 0; piece < count; piece++) total += bounds[2 * piece + 1]! - bounds[2 * piece]!;
  return total;
}

/** Rewrites every piece. The new text is the concatenation of all pieces. */
export function rewritePieces(pieces: Pieces, rewrite: (builder: TextBuilder, end: number) => void): Pieces {
  const { text, bounds, count } = pieces;
  const builder = createTextBuilder(text, totalLength(pieces) + count);
  const list = createBoundList(count);
  for (let piece = 0; piece < count; piece++) {
    const start = builder.length;
    builder.open(bounds[2 * piece]!);
    rewrite(builder, bounds[2 * piece + 1]!);
    pushPiece(list, start, builder.length);
  }
  return { ...pieces, text: builder.finish(), bounds: list.bounds, count: list.count };
}

/**
 * Treatment of matches. `the-final--countdown` at `-`: Removed → the|final|countdown, Isolated →
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
