import { createTextBuilder, type TextBuilder } from '../aligned-text.ts';
import { createBoundList, pushPiece, totalLength, type Pieces } from '../pieces.ts';

/** Rewrites every piece. The new text holds all of them, one after the other. */
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
