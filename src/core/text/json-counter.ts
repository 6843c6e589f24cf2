import type { JsonCounts } from './count-values.ts';

export const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
export const openBracket = 0x5b;
export const backslash = 0x5c;
export const closeBracket = 0x5d;
export const openBrace = 0x7b;
export const closeBrace = 0x7d;

/** Levels of arrays and objects that callers may nest in JSON: what walks them without a limit overflows its stack. */
export const maxJsonLevels = 512;

/**
 * Counts what a parser would make of JSON text, piece by piece and without parsing it: strings are skipped at the speed of a
 * search. A parser takes seconds for megabytes of brackets. Text that is no JSON is counted as far as that makes sense.
 */
export class JsonCounter implements JsonCounts {
  /** Objects so far. */
  objects = 0;
  /** Arrays so far. */
  arrays = 0;
  /** Members of objects so far. */
  members = 0;
  /** About the number of all values so far: commas, and openings of arrays and objects. */
  values = 0;
  /** The most levels of arrays and objects so far; 1 is an array or object without another one in it. */
  depth = 0;
  #open = 0;
  #isString = false;
  #isEscaped = false;

  /** Takes the next piece of the text, in UTF-8. */
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

/** A search costs more than a look at the next bytes, where strings are short or full of escapes. */
function indexOfQuote(piece: Uint8Array, from: number): number {
  const near = Math.min(from + 16, piece.length);
  for (let at = from; at < near; at++) if (piece[at] === quote) return at;
  return piece.indexOf(quote, near);
}

/** Whether a byte at `stop` would be escaped: an odd number of backslashes stands before it. */
function endsEscaped(piece: Uint8Array, start: number, stop: number, wasEscaped: boolean): boolean {
  let first = stop;
  while (first > start && piece[first - 1] === backslash) first--;
  return ((stop - first) % 2 === 1) !== (first === start && wasEscaped);
}
