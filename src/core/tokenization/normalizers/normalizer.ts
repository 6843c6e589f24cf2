import {
  type Piece,
  type TextBuilder,
  codePointAt,
  createTextBuilder,
  toAlignedText,
} from '../aligned-text.ts';
import { fromUnits } from '../code-units.ts';
import { readString, type Members } from '../definition.ts';

/** Rewrites a piece of text. Returns the same piece if unchanged. */
export type Normalizer = (piece: Piece) => Piece;

export function normalizeText(normalize: Normalizer, text: string): string {
  const piece = normalize({ text: toAlignedText(text, false), start: 0, end: text.length });
  return fromUnits(piece.text.units, piece.start, piece.end);
}

/** A builder at the start of a piece, with capacity for the piece and `more` units. */
export function openBuilder({ text, start, end }: Piece, more = 16): TextBuilder {
  const builder = createTextBuilder(text, end - start + more);
  builder.open(start);
  return builder;
}

export function wholePiece(builder: TextBuilder): Piece {
  const text = builder.finish();
  return { text, start: 0, end: text.length };
}

/** A character of a rewritten text. */
export interface Change {
  readonly codePoint: number;
  /** 0: it replaces the next source character, −n: it also replaces n more, 1: it is inserted. */
  change: number;
}

/** Writes a character according to its `change`. */
export function writeChange(builder: TextBuilder, { codePoint, change }: Change): void {
  if (change > 0) builder.insert(codePoint);
  else builder.replace(codePoint);
  for (let left = change; left < 0; left++) builder.skip();
}

/** Prepends a text to every non-empty piece. */
export function readPrepend(label: string, members: Members): Normalizer {
  const prefix = readString(`${label}.prepend`, members['prepend']);
  return (piece) => {
    if (piece.start === piece.end || prefix === '') return piece;
    const builder = openBuilder(piece, prefix.length);
    writePrefix(builder, piece.text.units, prefix);
    builder.copyTo(piece.end);
    return wholePiece(builder);
  };
}

/** Writes a non-empty prefix and the next character. Both have the source position of that character. */
export function writePrefix(builder: TextBuilder, units: Uint16Array, prefix: string): void {
  const written = Array.from(prefix, (character) => character.codePointAt(0)!);
  builder.replaceByAll([...written, codePointAt(units, builder.at)]);
}
