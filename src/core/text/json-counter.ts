import type { JsonCounts } from './count-values.ts';

export const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/** Maximum nesting of callers' JSON: recursive code would overflow the stack. */
export const maxJsonLevels = 512;

/**
 * Counts the parts of a JSON text piece by piece without parsing, and skips strings at search speed: a parser takes
 * seconds for megabytes of brackets. Invalid JSON gets an approximate count.
 */
export class JsonCounter implements JsonCounts {
  objects = 0;
  arrays = 0;
  /** Members of objects so far. */
  members = 0;
  /** Approximate number of all values so far: commas, and openings of arrays and objects. */
  values = 0;
  /** Maximum levels of arrays and objects so far; 1 for an array or object without nested ones. */
  depth = 0;
  #open = 0;
  #isString = false;
  #isEscaped = false;

  /** Counts the next piece of the text, in UTF-8. */
  push(piece: Uint8Array): void {
    for (let at = 0; at < piece.length; at++) {
      if (this.#isString) {
        const end = indexOfQuote(piece, at);
        const stop = end < 0 ? piece.length : end;
        this.#isEscaped = endsEscaped(piece, at, stop, this.#isEscaped);
        at = stop;
        if (end < 0) return;
        this.#isString = this.#isEscaped;
        this.#isEscaped = false;
        continue;
      }
      switch (piece[at]) {
        case quote:
          this.#isString = true;
          break;
        case comma:
          this.values++;
          break;
        case colon:
          this.members++;
          break;
        case openBrace:
          this.objects++;
          this.#enter();
          break;
        case openBracket:
          this.arrays++;
          this.#enter();
          break;
        case closeBracket:
        case closeBrace:
          this.#open--;
      }
    }
  }

  #enter(): void {
    this.values++;
    this.depth = Math.max(this.depth, ++this.#open);
  }
}

/** For short strings and strings full of escapes, a search costs more than checking the next bytes. */
function indexOfQuote(piece: Uint8Array, from: number): number {
  const near = Math.min(from + 16, piece.length);
  for (let at = from; at < near; at++) if (piece[at] === quote) return at;
  return piece.indexOf(quote, near);
}

/** Whether a byte at `stop` would be escaped: an odd number of backslashes precede it. */
function endsEscaped(piece: Uint8Array, start: number, stop: number, wasEscaped: boolean): boolean {
  let first = stop;
  while (first > start && piece[first - 1] === backslash) first--;
  return ((stop - first) % 2 === 1) !== (first === start && wasEscaped);
}
