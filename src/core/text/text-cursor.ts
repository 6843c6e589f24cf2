export class TextCursor {
  readonly source: string;
  index = 0;

  constructor(source: string) {
    this.source = source;
  }

  get isAtEnd(): boolean {
    return this.index >= this.source.length;
  }

  /** The code unit at a relative position; empty beyond the end. */
  peek(ahead = 0): string {
    return this.source[this.index + ahead] ?? '';
  }

  take(expected: string): boolean {
    if (!this.source.startsWith(expected, this.index)) return false;
    this.index += expected.length;
    return true;
  }

  /** The next character, which may be a surrogate pair; empty at the end. */
  takeCharacter(): string {
    return this.takeMatch(/[^]/uy)?.[0] ?? '';
  }

  /** @param pattern sticky, or global, which skips to after its next match */
  takeMatch(pattern: RegExp): RegExpExecArray | undefined {
    pattern.lastIndex = this.index;
    const found = pattern.exec(this.source) ?? undefined;
    if (found) this.index = pattern.lastIndex;
    return found;
  }

  /** @param pattern sticky */
  isAt(pattern: RegExp): boolean {
    pattern.lastIndex = this.index;
    return pattern.test(this.source);
  }
}
