import { codePointAt, unitsOf } from '../aligned-text.ts';
import { pushSegment, type Pattern } from '../patterns/pattern.ts';
import type { PreTokenizer } from '../pieces.ts';
import { splitPieces } from '../split.ts';
import { memoizeByCodePoint } from '../unicode/code-point-memo.ts';
import { isInRanges, newerThanUnicode9 } from '../unicode/newer-characters.ts';

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

/** No script in particular. */
const any = -1;

let patterns: readonly RegExp[] | undefined;

/** The place of a character's script in the list. */
const scriptOf = memoizeByCodePoint(findScript);

function toScript(name: string): number {
  return scriptNames.indexOf(name);
}

/** As SentencePiece sees them: Japanese is written in one script, and a blank is of any. */
function findScript(codePoint: number): number {
  if (codePoint === 0x20 || isInRanges(codePoint, newerThanUnicode9)) return any;
  if (codePoint === 0x30_fc) return toScript('Han');
  if (codePoint === 0x5_89 || codePoint === 0x6_1c) return toScript('Common');
  if (codePoint === 0x9_53 || codePoint === 0x9_54) return toScript('Devanagari');
  patterns ??= scriptNames.map((name) => new RegExp(`^\\p{Script=${name}}$`, 'u'));
  const character = String.fromCodePoint(codePoint);
  const script = patterns.findIndex((pattern) => pattern.test(character));
  return script === toScript('Hiragana') || script === toScript('Katakana') ? toScript('Han') : script;
}

/** Each match is of one script. What comes before the first character of a script is none. */
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

/** Cuts where the script changes. */
export const unicodeScripts: PreTokenizer = (pieces) =>
  splitPieces(pieces, scriptPattern, { behavior: 'Removed', invert: true });
