import { codePointAt, codePointBefore, unitsOf } from '../aligned-text.ts';
import { toUnits } from '../code-units.ts';
import { hashPair, type HashSet } from '../hash.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { type Spelling, clearSymbols, pushSymbol, type Symbols } from './model.ts';
import { utf8Length, writeUtf8 } from './utf8.ts';

export interface CharacterSpellingOptions {
  readonly vocabulary: Vocabulary;
  readonly joints: HashSet;
  /** Prefix of all characters except the first of a word. */
  readonly prefix: string;
  /** Suffix of a word's last character. */
  readonly suffix: string;
  /** Token ids of the 256 bytes, −1 if missing. */
  readonly idOfByte: Int32Array | undefined;
  /** Returns the id for unknown characters, or throws if the vocabulary lacks it; without it they are dropped. */
  readonly unknownId: (() => number) | undefined;
  /** Whether adjacent unknown characters become one symbol. */
  readonly fuseUnknown: boolean;
}

/** Spells words by characters, and unknown characters by the tokens of their bytes if these exist. */
export function createCharacterSpelling(options: CharacterSpellingOptions): Spelling {
  const { vocabulary, joints, prefix, idOfByte, unknownId, fuseUnknown } = options;
  const isBare = prefix === '' && options.suffix === '';
  const suffix = toUnits(options.suffix);
  const bytes = new Uint8Array(4);
  /** The prefix, a character, and the suffix. */
  const spelled = new Uint16Array(prefix.length + 2 + suffix.length);
  spelled.set(toUnits(prefix));

  function symbolOf(units: Uint16Array, at: number, end: number, { isFirst, isLast }: Place): number {
    if (isBare) return vocabulary.find(units, at, end);
    let length = prefix.length;
    for (let index = at; index < end; index++) spelled[length++] = units[index]!;
    if (isLast) for (const unit of suffix) spelled[length++] = unit;
    return vocabulary.find(spelled, isFirst ? prefix.length : 0, length);
  }

  /** False unless all bytes of the character have tokens. */
  function spellBytes(symbols: Symbols, codePoint: number): boolean {
    if (!idOfByte) return false;
    const count = writeUtf8(bytes, 0, codePoint);
    for (let index = 0; index < count; index++) if (idOfByte[bytes[index]!] === -1) return false;
    for (let index = 0; index < count; index++) pushSymbol(symbols, idOfByte[bytes[index]!]!, 1);
    return true;
  }

  return {
    spellInto(symbols, units, start, end) {
      clearSymbols(symbols, (idOfByte ? 3 : 1) * (end - start));
      const place: Place = { isFirst: true, isLast: false };
      let unknownLength = 0;
      for (let at = start; at < end; place.isFirst = false) {
        const codePoint = codePointAt(units, at);
        const next = at + unitsOf(codePoint);
        place.isLast = next === end;
        const symbol = symbolOf(units, at, next, place);
        if (symbol !== -1) {
          if (unknownLength > 0) pushSymbol(symbols, unknownId!(), unknownLength);
          unknownLength = 0;
          pushSymbol(symbols, symbol, utf8Length(units[at]!));
        } else if (!spellBytes(symbols, codePoint) && unknownId) {
          if (unknownLength > 0 && !fuseUnknown) {
            pushSymbol(symbols, unknownId(), unknownLength);
            unknownLength = 0;
          }
          unknownLength += utf8Length(units[at]!);
        }
        at = next;
      }
      if (unknownLength > 0) pushSymbol(symbols, unknownId!(), unknownLength);
    },
    findWhole: vocabulary.find,
    mayCut(units, at) {
      const first = codePointAt(units, at);
      const last = codePointBefore(units, at);
      return (
        !joints.has(hashPair(last, first)) &&
        // Adjacent unknown characters may become one symbol.
        vocabulary.find(units, at - unitsOf(last), at) !== -1 &&
        vocabulary.find(units, at, at + unitsOf(first)) !== -1
      );
    },
  };
}

interface Place {
  isFirst: boolean;
  isLast: boolean;
}
