/** Goes through the characters of a pattern. */
export interface Reader {
  readonly characters: readonly string[];
  at: number;
  captures: number;
  depth: number;
}

/** The options that `(?imx)` switches on. */
export interface Flags {
  ignoreCase: boolean;
  dotAll: boolean;
  extended: boolean;
}

/** Groups and classes may be nested so deeply. */
export const deepest = 100;

export function failure({ at }: Reader, what: string): RangeError {
  return new RangeError(`regular expression: ${what} at ${at}`);
}

export function peek({ characters, at }: Reader, ahead = 0): string {
  return characters[at + ahead] ?? '';
}

export function take(reader: Reader, text: string): boolean {
  let length = 0;
  for (const character of text) if (peek(reader, length++) !== character) return false;
  reader.at += length;
  return true;
}

export function takeNext(reader: Reader): string {
  const character = peek(reader);
  if (character === '') throw failure(reader, 'unexpected end');
  reader.at++;
  return character;
}
