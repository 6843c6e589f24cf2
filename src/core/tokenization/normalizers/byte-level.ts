import { codePointAt, type Piece, type TextBuilder } from '../aligned-text.ts';
import { characterOfByte } from '../byte-characters.ts';
import { writeUtf8 } from '../models/utf8.ts';
import { openBuilder, wholePiece, type Normalizer } from './normalizer.ts';

/** Writes a character for every UTF-8 byte of the text. */
export const byteLevel: Normalizer = (piece: Piece) => {
  const builder = openBuilder(piece);
  writeBytes(builder, piece);
  return wholePiece(builder);
};

const bytes = new Uint8Array(4);

/** Writes a character for every byte of the builder's current piece. */
export function writeBytes(builder: TextBuilder, { text, end }: Piece): void {
  while (builder.at < end) {
    const count = writeUtf8(bytes, 0, codePointAt(text.units, builder.at));
    builder.replace(characterOfByte[bytes[0]!]!);
    for (let index = 1; index < count; index++) builder.insert(characterOfByte[bytes[index]!]!);
  }
}
