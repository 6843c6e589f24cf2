import { quoted } from '../schemas/keywords.ts';

const hexEscapes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };

/** A place in a grammar that is being read. */
export class TextCursor {
  readonly source: string;
  readonly #path: string;
  index = 0;

  /** @param path how messages call the grammar */
  constructor(source: string, path: string) {
    this.source = source;
    this.#path = path;
  }

  get isAtEnd(): boolean {
    return this.index >= this.source.length;
  }

  take(expected: string): boolean {
    if (!this.source.startsWith(expected, this.index)) return false;
    this.index += expected.length;
    return true;
  }

  /** @param pattern a sticky one */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.index;
    const found = pattern.exec(this.source) ?? undefined;
    if (found) this.index += found[0].length;
    return found;
  }

  /** @param pattern a sticky one */
  isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.index;
    return pattern.test(this.source);
  }

  /** The code point of a character, or of an escape: one of these, or `\x`, `\u`, `\U` with hex digits. */
  takeCharacter(end: string, escapes: Readonly<Record<string, string>>): number {
    const codePoint = this.source.codePointAt(this.index);
    if (codePoint === undefined) throw this.fault(`expected ${end} before the end`);
    this.index += codePoint > 0xffff ? 2 : 1;
    if (codePoint !== 0x5c) return codePoint;
    const letter = this.source[this.index++] ?? '';
    if (Object.hasOwn(escapes, letter)) return escapes[letter]!.codePointAt(0)!;
    const length = hexEscapes[letter] ?? 0;
    const digits = this.source.slice(this.index, this.index + length);
    const escaped = Number.parseInt(digits, 16);
    const isWhole = length > 0 && digits.length === length && /^[\da-f]+$/i.test(digits);
    if (!isWhole || escaped > 0x10ffff)
      throw this.fault(`expected a known escape, got ${quoted(`\\${letter}`)}`);
    this.index += length;
    return escaped;
  }

  /** A fault about what stands here. */
  faultHere(expectation: string): RangeError {
    const rest = this.source.slice(this.index, this.index + 20);
    return this.fault(`${expectation}, got ${rest === '' ? 'the end' : quoted(rest)}`);
  }

  fault(expectation: string): RangeError {
    return new RangeError(`${this.#path}: ${expectation}`);
  }
}
