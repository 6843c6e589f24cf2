import {
  type Members,
  type Readers,
  assertDepth,
  readBoolean,
  readByType,
  readCharacter,
  readChoice,
  readList,
  readInteger,
} from '../definition.ts';
import { createCharacterPattern } from '../patterns/character-pattern.ts';
import { readPattern } from '../patterns/read-pattern.ts';
import type { PreTokenizer } from '../pieces.ts';
import { splitBehaviors, splitPieces } from '../split.ts';
import { memoizeByCodePoint } from '../unicode/code-point-memo.ts';
import { readByteLevel, spellBytes } from './byte-level.ts';
import { readMetaspace } from './metaspace.ts';
import { bertPreTokenizer, readPunctuation } from './punctuation.ts';
import { unicodeScripts } from './unicode-scripts.ts';
import { whitespace, whitespaceSplit } from './whitespace.ts';
import { codePointAt, unitsOf } from '../aligned-text.ts';
import { pushSegment, type Pattern } from '../patterns/pattern.ts';

const readers: Readers<PreTokenizer> = {
  BertPreTokenizer: () => bertPreTokenizer,
  ByteLevel: readByteLevel,
  CharDelimiterSplit: readCharDelimiterSplit,
  Digits: readDigits,
  FixedLength: readFixedLength,
  Metaspace: readMetaspace,
  Punctuation: readPunctuation,
  Sequence: readSequence,
  Split: readSplit,
  UnicodeScripts: () => unicodeScripts,
  Whitespace: () => whitespace,
  WhitespaceSplit: () => whitespaceSplit,
};

/** @throws TypeError or RangeError for a malformed definition or an unknown type */
export function readPreTokenizer(label: string, value: unknown): PreTokenizer {
  return readByType(label, value, readers);
}

function readSequence(label: string, members: Members): PreTokenizer {
  assertDepth(label);
  const steps = readList(`${label}.pretokenizers`, members['pretokenizers']).map((item, index) =>
    readPreTokenizer(`${label}.pretokenizers[${index}]`, item),
  );
  return (pieces) => steps.reduce((cut, step) => step(spellBytes(cut)), pieces);
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
/** Newer digits count here, unlike in regular expressions. */
const isNumber = memoizeByCodePoint((codePoint) => Number(number.test(String.fromCodePoint(codePoint))));
const numberPattern = createCharacterPattern((codePoint) => isNumber(codePoint) === 1);

function readDigits(label: string, members: Members): PreTokenizer {
  const individual = readBoolean(`${label}.individual_digits`, members['individual_digits'], false);
  return (pieces) => splitPieces(pieces, numberPattern, { behavior: individual ? 'Isolated' : 'Contiguous' });
}

/** Cuts after every so many characters. */
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
