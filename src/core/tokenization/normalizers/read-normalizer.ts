import { type Members, type Readers, assertDepth, readByType, readList, readBoolean } from '../definition.ts';
import { readBertNormalizer } from './bert.ts';
import { byteLevel } from './byte-level.ts';
import { lowercase } from './lowercase.ts';
import { nmt } from './nmt.ts';
import { type Normalizer, wholePiece } from './normalizer.ts';
import { readPrecompiled } from './precompiled.ts';
import { readPrepend } from './prepend.ts';
import { readReplace } from './replace.ts';
import { nfc, nfd, nfkc, nfkd } from './unicode-forms.ts';
import { isInRanges, notCombiningMarks } from '../unicode/newer-characters.ts';
import { createCharacterNormalizer } from './character-rewriter.ts';
import { classOf, space } from '../unicode/character-class.ts';
import { createTextBuilder } from '../aligned-text.ts';

const mark = /^\p{M}$/u;

/** Leaves combining marks out. */
const stripAccents = createCharacterNormalizer((character) => (isCombiningMark(character) ? '' : character));

function isCombiningMark(character: string): boolean {
  const codePoint = character.codePointAt(0)!;
  if (codePoint === 0x1c_f2 || codePoint === 0x1c_f3) return true; // marks until Unicode 12
  return mark.test(character) && !isInRanges(codePoint, notCombiningMarks);
}

const readers: Readers<Normalizer> = {
  BertNormalizer: readBertNormalizer,
  ByteLevel: () => byteLevel,
  Lowercase: () => lowercase,
  NFC: () => nfc,
  NFD: () => nfd,
  NFKC: () => nfkc,
  NFKD: () => nfkd,
  Nmt: () => nmt,
  Precompiled: readPrecompiled,
  Prepend: readPrepend,
  Replace: readReplace,
  Sequence: readSequence,
  Strip: readStrip,
  StripAccents: () => stripAccents,
};

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export function readNormalizer(label: string, value: unknown): Normalizer {
  return readByType(label, value, readers);
}

function readSequence(label: string, members: Members): Normalizer {
  assertDepth(label);
  const normalizers = readList(`${label}.normalizers`, members['normalizers']).map((item, index) =>
    readNormalizer(`${label}.normalizers[${index}]`, item),
  );
  return (piece) => normalizers.reduce((rewritten, normalize) => normalize(rewritten), piece);
}

/** Takes white space away from the ends. */
function readStrip(label: string, members: Members): Normalizer {
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
