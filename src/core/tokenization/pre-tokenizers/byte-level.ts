import { readBoolean, type Members } from '../definition.ts';
import { writeBytes } from '../normalizers/byte-level.ts';
import { writePrefix } from '../normalizers/normalizer.ts';
import { createRegularExpressionPattern } from '../patterns/read-pattern.ts';
import { type Pieces, type PreTokenizer, rewritePieces, splitPieces } from '../pieces.ts';

const blank = 0x20;
/** GPT-2's word pattern. */
const words = String.raw`'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`;

/** Splits like GPT-2; every byte then counts as a character. */
export function readByteLevel(label: string, members: Members): PreTokenizer {
  const addPrefixSpace = readBoolean(`${label}.add_prefix_space`, members['add_prefix_space'], false);
  const useRegex = readBoolean(`${label}.use_regex`, members['use_regex'], true);
  const pattern = useRegex ? createRegularExpressionPattern(label, words) : undefined;
  return (given) => {
    let pieces = given;
    if (addPrefixSpace) pieces = prependBlanks(pieces);
    if (pattern) pieces = splitPieces(pieces, pattern, { behavior: 'Isolated' });
    return { ...pieces, asBytes: true };
  };
}

function prependBlanks(pieces: Pieces): Pieces {
  const { text, bounds, count } = pieces;
  let missing = false;
  for (let piece = 0; piece < count; piece++) missing ||= text.units[bounds[2 * piece]!] !== blank;
  if (!missing) return pieces;
  return rewritePieces(pieces, (builder, end) => {
    if (text.units[builder.at] !== blank) writePrefix(builder, text.units, ' ');
    builder.copyTo(end);
  });
}

/** Writes out the characters for bytes, for later stages that need to see them. */
export function spellBytes(pieces: Pieces): Pieces {
  if (!pieces.asBytes) return pieces;
  const { text } = pieces;
  const spelled = rewritePieces(pieces, (builder, end) =>
    writeBytes(builder, { text, start: builder.at, end }),
  );
  return { ...spelled, asBytes: false };
}
