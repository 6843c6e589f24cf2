/** A place in a text that is being read. */
export class TextCursor {
  readonly source: string;
  index = 0;

  constructor(source: string) {
    this.source = source;
  }

  get isAtEnd(): boolean {
    return this.index >= this.source.length;
  }

  /** The code unit so many places on; empty behind the end. */
  peek(ahead = 0): string {
    return this.source[this.index + ahead] ?? '';
  }

  take(expected: string): boolean {
    if (!this.source.startsWith(expected, this.index)) return false;
    this.index += expected.length;
    return true;
  }

  /** The next character, a pair of surrogates being one; empty at the end. */
  takeCharacter(): string {
    return this.takeMatch(/[^]/uy)?.[0] ?? '';
  }

  /** @param pattern a sticky one; behind the next match of a global one it goes on */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.index;
    const found = pattern.exec(this.source) ?? undefined;
    if (found) this.index = pattern.lastIndex;
    return found;
  }

  /** @param pattern a sticky one */
  isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.index;
    return pattern.test(this.source);
  }
}
