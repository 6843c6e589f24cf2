import { codePointAt, codePointBefore, unitsOf } from '../aligned-text.ts';
import { characterOfByte } from '../byte-characters.ts';
import { hashPair, type HashSet } from '../hash.ts';
import type { Vocabulary } from '../vocabulary.ts';
import { type Spelling, clearSymbols } from './model.ts';
import { writeUtf8 } from './utf8.ts';

export interface ByteSpelling extends Spelling {
  /** Whether every byte of `units[start, end)` has a symbol. */
  knows(units: Uint16Array, start: number, end: number): boolean;
}

export interface ByteSpellingOptions {
  readonly vocabulary: Vocabulary;
  readonly joints: HashSet;
  /** Suffix of a word's last byte. */
  readonly suffix: string;
}

/** Spells words by their UTF-8 bytes, without the characters that represent the bytes. */
export function createByteSpelling({ vocabulary, joints, suffix }: ByteSpellingOptions): ByteSpelling {
  const findSymbol = (unit: number, after: string): number =>
    vocabulary.findText(String.fromCharCode(unit) + after);
  const symbolOfByte = Int32Array.from(characterOfByte, (unit) => findSymbol(unit, ''));
  const lastSymbolOfByte = Int32Array.from(characterOfByte, (unit) => findSymbol(unit, suffix));
  const isKnown = Uint8Array.from(symbolOfByte, (symbol, byte) =>
    Number(symbol !== -1 && lastSymbolOfByte[byte] !== -1),
  );
  const knowsAll = !isKnown.some((known, byte) => known === 0 && occursInUtf8(byte));
  const bytes = new Uint8Array(4);
  let whole = new Uint16Array(64);

  return {
    knows(units, start, end) {
      if (knowsAll) return true;
      for (let at = start; at < end;) {
        const codePoint = codePointAt(units, at);
        const count = writeUtf8(bytes, 0, codePoint);
        for (let index = 0; index < count; index++) if (isKnown[bytes[index]!] === 0) return false;
        at += unitsOf(codePoint);
      }
      return true;
    },
    spellInto(symbols, units, start, end) {
      clearSymbols(symbols, 3 * (end - start));
      const { ids, lengths } = symbols;
      let count = 0;
      for (let at = start; at < end;) {
        const codePoint = codePointAt(units, at);
        if (codePoint < 0x80) ids[count++] = codePoint;
        else count = writeUtf8(ids, count, codePoint);
        at += unitsOf(codePoint);
      }
      const last = lastSymbolOfByte[ids[count - 1]!]!;
      for (let index = 0; index < count; index++) {
        ids[index] = symbolOfByte[ids[index]!]!;
        lengths[index] = 1;
      }
      ids[count - 1] = last;
      symbols.count = count;
    },
    findWhole(units, start, end) {
      if (end - start > vocabulary.longest) return -1;
      if (whole.length < 3 * vocabulary.longest) whole = new Uint16Array(3 * vocabulary.longest);
      let length = 0;
      for (let at = start; at < end;) {
        const codePoint = codePointAt(units, at);
        const count = writeUtf8(bytes, 0, codePoint);
        for (let index = 0; index < count; index++) whole[length++] = characterOfByte[bytes[index]!]!;
        at += unitsOf(codePoint);
      }
      return vocabulary.find(whole, 0, length);
    },
    mayCut(units, at) {
      writeUtf8(bytes, 0, codePointAt(units, at));
      const first = bytes[0]!;
      const last = bytes[writeUtf8(bytes, 0, codePointBefore(units, at)) - 1]!;
      return !joints.has(hashPair(characterOfByte[last]!, characterOfByte[first]!));
    },
  };
}

function occursInUtf8(byte: number): boolean {
  return byte < 0xc0 || (byte > 0xc1 && byte < 0xf5);
}
