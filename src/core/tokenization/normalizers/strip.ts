import { classOf, space } from '../unicode/character-class.ts';
import { createTextBuilder } from '../aligned-text.ts';
import { readBoolean, type Members } from '../definition.ts';
import { wholePiece, type Normalizer } from './normalizer.ts';

/** Takes white space away from the ends. */
export function readStrip(label: string, members: Members): Normalizer {
  const left = readBoolean(`${label}.strip_left`, members['strip_left']);
  const right = readBoolean(`${label}.strip_right`, members['strip_right']);
  return (piece) => {
    const { units } = piece.text;
    let { start, end } = piece;
    if (left) while (start < end && (classOf(units[start]!) & space) !== 0) start++;
    if (right) while (end > start && (classOf(units[end - 1]!) & space) !== 0) end--;
    if (start === piece.start && end === piece.end) return piece;
    const builder = createTextBuilder(piece.text, end - start);
    builder.open(start);
    builder.copyTo(end);
    return wholePiece(builder);
  };
}
