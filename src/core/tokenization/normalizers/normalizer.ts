import { codePointAt, createTextBuilder, unitsOf, type Piece, type TextBuilder } from '../aligned-text.ts';

/** Rewrites a piece of text. Returns the same piece if there is nothing to do. */
export type Normalizer = (piece: Piece) => Piece;

/**
 * Rewrites a piece character by character, from the first one on that changes.
 *
 * @param isFixed whether a character stays as it is
 * @param rewrite writes something else for the next character, which it must get past
 */
export function rewriteCharacters(
  piece: Piece,
  isFixed: (codePoint: number) => boolean,
  rewrite: (builder: TextBuilder, codePoint: number) => void,
): Piece {
  const { text, start, end } = piece;
  const { units } = text;
  let builder: TextBuilder | undefined;
  for (let at = start; at < end;) {
    const codePoint = codePointAt(units, at);
    if (!isFixed(codePoint)) {
      if (!builder) {
        builder = createTextBuilder(text, end - start + 16);
        builder.open(start);
      }
      builder.copyTo(at);
      rewrite(builder, codePoint);
    }
    at += unitsOf(codePoint);
  }
  if (!builder) return piece;
  builder.copyTo(end);
  return wholePiece(builder);
}

/** All that a builder wrote. */
export function wholePiece(builder: TextBuilder): Piece {
  const text = builder.finish();
  return { text, start: 0, end: text.length };
}

/** A character of a rewritten text. */
export interface Change {
  readonly codePoint: number;
  /** 0: it stands for the next character of the source, −n: and for the n behind it, 1: for none. */
  change: number;
}

/** Writes a character instead of what it stands for. */
export function writeChange(builder: TextBuilder, { codePoint, change }: Change): void {
  if (change > 0) builder.insert(codePoint);
  else builder.replace(codePoint);
  for (let left = change; left < 0; left++) builder.skip();
}
