import { codePointAt, createTextBuilder, type TextBuilder } from '../aligned-text.ts';
import { readString, type Members } from '../definition.ts';
import { wholePiece, type Normalizer } from './normalizer.ts';

/** Puts a text in front, unless there is nothing to put it in front of. */
export function readPrepend(label: string, members: Members): Normalizer {
  const prefix = readString(`${label}.prepend`, members['prepend']);
  return (piece) => {
    if (piece.start === piece.end || prefix === '') return piece;
    const builder = createTextBuilder(piece.text, piece.end - piece.start + prefix.length);
    builder.open(piece.start);
    writePrefix(builder, piece.text.units, prefix);
    builder.copyTo(piece.end);
    return wholePiece(builder);
  };
}

/** Writes a prefix, which isn't empty, and the next character. Both come from where that character came from. */
export function writePrefix(builder: TextBuilder, units: Uint16Array, prefix: string): void {
  const next = codePointAt(units, builder.at);
  const [first, ...others] = prefix;
  builder.replace(first!.codePointAt(0)!);
  for (const other of others) builder.insert(other.codePointAt(0)!);
  builder.insert(next);
}
