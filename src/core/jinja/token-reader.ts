import { tokenize, type Token } from './lexer.ts';

export class TokenReader {
  /** Names of variables read so far, in source order. */
  readonly names: string[] = [];
  readonly #tokens: readonly Token[];
  #index = 0;

  constructor(source: string) {
    this.#tokens = tokenize(source);
  }

  get next(): Token {
    return this.#tokens[this.#index]!;
  }

  get after(): Token | undefined {
    return this.#tokens[this.#index + 1];
  }

  take(): Token {
    return this.#tokens[this.#index++]!;
  }

  is(type: Token['type'], ...values: readonly string[]): boolean {
    const { type: found, value } = this.next;
    return found === type && (values.length === 0 || values.includes(String(value)));
  }

  /** Consumes the next token if it matches. */
  skip(type: Token['type'], ...values: readonly string[]): boolean {
    if (!this.is(type, ...values)) return false;
    this.#index++;
    return true;
  }

  expect(type: Token['type'], ...values: readonly string[]): string {
    if (!this.is(type, ...values)) throw this.unexpected(values[0] ?? type);
    return String(this.take().value);
  }

  unexpected(wanted?: string): SyntaxError {
    const { type, value } = this.next;
    const found = value === undefined ? type : `'${String(value).slice(0, 40)}'`;
    return new SyntaxError(`unexpected ${found}${wanted === undefined ? '' : `, expected ${wanted}`}`);
  }
}
