import { grown } from '../sampling/scratch.ts';
import { type AlignedText, createTextBuilder, type TextBuilder } from './aligned-text.ts';

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

export function createBoundList(capacity: number): BoundList {
  return { bounds: new Int32Array(2 * Math.max(8, capacity)), count: 0 };
}

/** Appends a piece unless it is empty. */
export function pushPiece(list: BoundList, start: number, end: number): void {
  if (start === end) return;
  const at = 2 * list.count++;
  if (at === list.bounds.length) list.bounds = grown(list.bounds, 2 * at);
  list.bounds[at] = start;
  list.bounds[at + 1] = end;
}

export function totalLength({ bounds, count }: Pieces): number {
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
