import type { Piece, TextBuilder } from '../aligned-text.ts';

/** Rewrites a piece of text. Returns the same piece if there is nothing to do. */
export type Normalizer = (piece: Piece) => Piece;

/** All that a builder wrote. */
export function wholePiece(builder: TextBuilder): Piece {
  const text = builder.finish();
  return { text, start: 0, end: text.length };
}

/** A character of a rewritten text. */
export interface Change {
  readonly codePoint: number;
  /** 0: it stands for the next character of the source, −n: and for the n after it, 1: for none. */
  change: number;
}

/** Writes a character instead of what it stands for. */
export function writeChange(builder: TextBuilder, { codePoint, change }: Change): void {
  if (change > 0) builder.insert(codePoint);
  else builder.replace(codePoint);
  for (let left = change; left < 0; left++) builder.skip();
}
