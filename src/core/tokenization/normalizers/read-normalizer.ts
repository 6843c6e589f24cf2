import { type Members, byType, readBoolean, readSequence, readString } from '../definition.ts';
import { readBertNormalizer } from './bert.ts';
import { byteLevel } from './byte-level.ts';
import { lowercase, createCharacterNormalizer } from './character-rewriter.ts';
import { type Normalizer, openBuilder, wholePiece, readPrepend } from './normalizer.ts';
import { readPrecompiled } from './precompiled.ts';
import { nfc, nfd, nfkc, nfkd } from './unicode-forms.ts';
import { createMarkTest, notCombiningMarks } from '../unicode/newer-characters.ts';
import { classOf, space } from '../unicode/character-class.ts';
import { createSegments } from '../patterns/pattern.ts';
import { readPattern } from '../patterns/read-pattern.ts';

/** The cleaning of Google's translation models: drops control characters and replaces unusual white space by blanks. */
const nmt = createCharacterNormalizer((character) => {
  if (/^(?![\0\t\n\f\r\x80-\x8e\x90-\x9e])\p{Cc}$/u.test(character)) return '';
  return /^[\t\n\f\r\u1680\u200b-\u200f\u2028\u2029\u2581\ufeff\ufffd]$/.test(character) ? ' ' : character;
});

/** Drops combining marks. */
const stripAccents = createCharacterNormalizer((character) => (isCombiningMark(character) ? '' : character));

/** Two characters were marks until Unicode 12. */
const isCombiningMark = createMarkTest(/^\p{M}$/u, [0x1c_f2, 0x1c_f3], notCombiningMarks);

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export const readNormalizer = byType<Normalizer>({
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
  Sequence: readNormalizers,
  Strip: readStrip,
  StripAccents: () => stripAccents,
});

function readNormalizers(label: string, members: Members): Normalizer {
  const normalizers = readSequence(label, members, 'normalizers', readNormalizer);
  return (piece) => normalizers.reduce((rewritten, normalize) => normalize(rewritten), piece);
}

function readStrip(label: string, members: Members): Normalizer {
  const left = readBoolean(`${label}.strip_left`, members['strip_left']);
  const right = readBoolean(`${label}.strip_right`, members['strip_right']);
  return (piece) => {
    const { units } = piece.text;
    let { start, end } = piece;
    if (left) while (start < end && (classOf(units[start]!) & space) !== 0) start++;
    if (right) while (end > start && (classOf(units[end - 1]!) & space) !== 0) end--;
    if (start === piece.start && end === piece.end) return piece;
    const builder = openBuilder({ text: piece.text, start, end }, 0);
    builder.copyTo(end);
    return wholePiece(builder);
  };
}

/** Replaces every match of a pattern. */
export function readReplace(label: string, members: Members): Normalizer {
  const pattern = readPattern(`${label}.pattern`, members['pattern']);
  const content = readString(`${label}.content`, members['content']);
  const characters = Array.from(content, (character) => character.codePointAt(0)!);
  const segments = createSegments();
  return (piece) => {
    const { text, start, end } = piece;
    segments.count = 0;
    if (start < end) pattern(text, start, end, segments);
    const { count, matched, ends } = segments;
    if (matched.indexOf(1) === -1 || matched.indexOf(1) >= count) return piece;
    const builder = openBuilder(piece);
    for (let index = 0; index < count; index++) {
      if (matched[index] === 0) {
        builder.copyTo(ends[index]!);
        continue;
      }
      while (builder.at < ends[index]!) builder.skip();
      for (const character of characters) builder.insert(character);
    }
    return wholePiece(builder);
  };
}
