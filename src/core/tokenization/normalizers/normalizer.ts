import {
  type Piece,
  type TextBuilder,
  codePointAt,
  createTextBuilder,
  toAlignedText,
} from '../aligned-text.ts';
import { fromUnits } from '../code-units.ts';
import { readString, type Members } from '../definition.ts';

/** Rewrites a piece of text. Returns the same piece if there is nothing to do. */
export type Normalizer = (piece: Piece) => Piece;

/** A text as a normalizer rewrites it. */
export function normalizeText(normalize: Normalizer, text: string): string {
  const piece = normalize({ text: toAlignedText(text, false), start: 0, end: text.length });
  return fromUnits(piece.text.units, piece.start, piece.end);
}

/** A builder at the start of a piece, with room for the piece and some units more. */
export function openBuilder({ text, start, end }: Piece, more = 16): TextBuilder {
  const builder = createTextBuilder(text, end - start + more);
  builder.open(start);
  return builder;
}

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

/** Puts a text in front, unless there is nothing to put it in front of. */
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

/** Writes a prefix, which isn't empty, and the next character. Both come from where that character came from. */
export function writePrefix(builder: TextBuilder, units: Uint16Array, prefix: string): void {
  const written = Array.from(prefix, (character) => character.codePointAt(0)!);
  builder.replaceByAll([...written, codePointAt(units, builder.at)]);
}
