import {
  type Members,
  readBoolean,
  byType,
  readCharacter,
  readChoice,
  readInteger,
  readSequence,
} from '../definition.ts';
import { createCharacterPattern, pushSegment, type Pattern } from '../patterns/pattern.ts';
import { readPattern } from '../patterns/read-pattern.ts';
import { type PreTokenizer, splitBehaviors, splitPieces } from '../pieces.ts';
import { memoizeByCodePoint, classOf, space, word, punctuation } from '../unicode/character-class.ts';
import { readByteLevel, spellBytes } from './byte-level.ts';
import { readMetaspace } from './metaspace.ts';
import { codePointAt, unitsOf } from '../aligned-text.ts';
import { runEnd } from '../patterns/scan.ts';
import { isNewer } from '../unicode/newer-characters.ts';

/** Scripts of Unicode 9. */
const scriptNames = (
  'Common Latin Greek Cyrillic Armenian Hebrew Arabic Syriac Thaana Devanagari Bengali Gurmukhi ' +
  'Gujarati Oriya Tamil Telugu Kannada Malayalam Sinhala Thai Lao Tibetan Myanmar Georgian Hangul ' +
  'Ethiopic Cherokee Canadian_Aboriginal Ogham Runic Khmer Mongolian Hiragana Katakana Bopomofo Han ' +
  'Yi Old_Italic Gothic Deseret Inherited Tagalog Hanunoo Buhid Tagbanwa Limbu Tai_Le Linear_B ' +
  'Ugaritic Shavian Osmanya Cypriot Braille Buginese Coptic New_Tai_Lue Glagolitic Tifinagh ' +
  'Syloti_Nagri Old_Persian Kharoshthi Balinese Cuneiform Phoenician Phags_Pa Nko Sundanese Lepcha ' +
  'Ol_Chiki Vai Saurashtra Kayah_Li Rejang Lycian Carian Lydian Cham Tai_Tham Tai_Viet Avestan ' +
  'Egyptian_Hieroglyphs Samaritan Lisu Bamum Javanese Meetei_Mayek Imperial_Aramaic ' +
  'Old_South_Arabian Inscriptional_Parthian Inscriptional_Pahlavi Old_Turkic Kaithi Batak Brahmi ' +
  'Mandaic Chakma Meroitic_Cursive Meroitic_Hieroglyphs Miao Sharada Sora_Sompeng Takri ' +
  'Caucasian_Albanian Bassa_Vah Duployan Elbasan Grantha Pahawh_Hmong Khojki Linear_A Mahajani ' +
  'Manichaean Mende_Kikakui Modi Mro Old_North_Arabian Nabataean Palmyrene Pau_Cin_Hau Old_Permic ' +
  'Psalter_Pahlavi Siddham Khudawadi Tirhuta Warang_Citi Ahom Anatolian_Hieroglyphs Hatran Multani ' +
  'Old_Hungarian SignWriting Adlam Bhaiksuki Marchen Newa Osage Tangut'
).split(' ');

/** No particular script. */
const any = -1;

let patterns: readonly RegExp[] | undefined;

/** Index of a character's script in the list. */
const scriptOf = memoizeByCodePoint(findScript);

function toScript(name: string): number {
  return scriptNames.indexOf(name);
}

/** Like SentencePiece: Japanese counts as one script, and a blank belongs to any. */
function findScript(codePoint: number): number {
  if (codePoint === 0x20 || isNewer(codePoint)) return any;
  if (codePoint === 0x30_fc) return toScript('Han');
  if (codePoint === 0x5_89 || codePoint === 0x6_1c) return toScript('Common');
  if (codePoint === 0x9_53 || codePoint === 0x9_54) return toScript('Devanagari');
  patterns ??= scriptNames.map((name) => new RegExp(`^\\p{Script=${name}}$`, 'u'));
  const character = String.fromCodePoint(codePoint);
  const script = patterns.findIndex((pattern) => pattern.test(character));
  return script === toScript('Hiragana') || script === toScript('Katakana') ? toScript('Han') : script;
}

/** Each match has one script. Text before the first character with a script is a gap. */
const scriptPattern: Pattern = ({ units }, start, end, segments) => {
  let last = any;
  for (let at = start; at < end;) {
    const codePoint = codePointAt(units, at);
    const script = scriptOf(codePoint);
    if (script !== any) {
      if (script !== last && at > start) pushSegment(segments, at, last === any ? 0 : 1);
      last = script;
    }
    at += unitsOf(codePoint);
  }
  pushSegment(segments, end, last === any ? 0 : 1);
};

/** Splits where the script changes. */
const unicodeScripts: PreTokenizer = (pieces) =>
  splitPieces(pieces, scriptPattern, { behavior: 'Removed', invert: true });

const punctuationPattern = createCharacterPattern((codePoint) => (classOf(codePoint) & punctuation) !== 0);

function readPunctuation(label: string, members: Members): PreTokenizer {
  const behavior = readChoice(`${label}.behavior`, members['behavior'] ?? 'Isolated', splitBehaviors);
  return (pieces) => splitPieces(pieces, punctuationPattern, { behavior });
}

/** Splits at white space, and each part between at `endOf`, which gets a character and its kind. */
function betweenSpaces(
  endOf: (units: Uint16Array, at: number, end: number, kind: number) => number,
): PreTokenizer {
  const pattern: Pattern = ({ units }, start, end, segments) => {
    for (let at = start; at < end;) {
      const kind = classOf(codePointAt(units, at));
      const isSpace = (kind & space) !== 0;
      at = isSpace ? runEnd(units, at, end, space) : endOf(units, at, end, kind);
      pushSegment(segments, at, isSpace ? 0 : 1);
    }
  };
  return (pieces) => splitPieces(pieces, pattern, { behavior: 'Removed', invert: true });
}

/** Splits into words, and runs of characters that are neither word nor white space: `\w+|[^\w\s]+`. */
const whitespace = betweenSpaces((units, at, end, kind) =>
  kind & word ? runEnd(units, at, end, word) : runEnd(units, at, end, word | space, false),
);

/** Splits at white space, and at punctuation, which is kept. */
const bertPreTokenizer = betweenSpaces((units, at, end, kind) =>
  kind & punctuation
    ? at + unitsOf(codePointAt(units, at))
    : runEnd(units, at, end, space | punctuation, false),
);

const whitespaceSplit = betweenSpaces((units, at, end) => runEnd(units, at, end, space, false));

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export const readPreTokenizer = byType<PreTokenizer>({
  BertPreTokenizer: () => bertPreTokenizer,
  ByteLevel: readByteLevel,
  CharDelimiterSplit: readCharDelimiterSplit,
  Digits: readDigits,
  FixedLength: readFixedLength,
  Metaspace: readMetaspace,
  Punctuation: readPunctuation,
  Sequence: readPreTokenizers,
  Split: readSplit,
  UnicodeScripts: () => unicodeScripts,
  Whitespace: () => whitespace,
  WhitespaceSplit: () => whitespaceSplit,
});

function readPreTokenizers(label: string, members: Members): PreTokenizer {
  const steps = readSequence(label, members, 'pretokenizers', readPreTokenizer);
  return (pieces) => {
    let cut = pieces;
    for (const step of steps) cut = step(spellBytes(cut));
    return cut;
  };
}

function readSplit(label: string, members: Members): PreTokenizer {
  const pattern = readPattern(`${label}.pattern`, members['pattern']);
  const behavior = readChoice(`${label}.behavior`, members['behavior'], splitBehaviors);
  const invert = readBoolean(`${label}.invert`, members['invert'], false);
  return (pieces) => splitPieces(pieces, pattern, { behavior, invert });
}

function readCharDelimiterSplit(label: string, members: Members): PreTokenizer {
  const delimiter = readCharacter(`${label}.delimiter`, members['delimiter']);
  const pattern = createCharacterPattern((codePoint) => codePoint === delimiter);
  return (pieces) => splitPieces(pieces, pattern, { behavior: 'Removed' });
}

const number = /^\p{N}$/u;
/** Includes digits newer than the reference's tables, unlike regular expressions. */
const isNumber = memoizeByCodePoint((codePoint) => Number(number.test(String.fromCodePoint(codePoint))));
const numberPattern = createCharacterPattern((codePoint) => isNumber(codePoint) === 1);

function readDigits(label: string, members: Members): PreTokenizer {
  const individual = readBoolean(`${label}.individual_digits`, members['individual_digits'], false);
  return (pieces) => splitPieces(pieces, numberPattern, { behavior: individual ? 'Isolated' : 'Contiguous' });
}

function readFixedLength(label: string, members: Members): PreTokenizer {
  const length = readInteger(`${label}.length`, members['length'] ?? 5, 1, Number.MAX_SAFE_INTEGER);
  const pattern: Pattern = ({ units }, start, end, segments) => {
    let count = 0;
    for (let at = start; at < end;) {
      at += unitsOf(codePointAt(units, at));
      if (++count % length === 0 || at === end) pushSegment(segments, at, 1);
    }
  };
  return (pieces) => splitPieces(pieces, pattern, { behavior: 'Isolated' });
}
