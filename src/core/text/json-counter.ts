/** Counts of the values in a JSON text, and its depth. */
export interface JsonCounter {
  /** Objects so far. */
  readonly objects: number;
  /** Arrays so far. */
  readonly arrays: number;
  /** Members of objects so far. */
  readonly members: number;
  /** About the number of all values so far: commas, and openings of arrays and objects. */
  readonly values: number;
  /** The most levels of arrays and objects so far; 1 is an array or object without another one in it. */
  readonly depth: number;
  /** Takes the next piece of the text, in UTF-8. */
  push(piece: Uint8Array): void;
}

const quote = 0x22;
const comma = 0x2c;
const colon = 0x3a;
const openBracket = 0x5b;
const backslash = 0x5c;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/**
 * Counts what a parser would make of JSON text, piece by piece and without parsing it: strings are skipped at the speed
 * of a search. A parser takes seconds for megabytes of brackets. Text that is no JSON is counted as far as that makes sense.
 *
 * @example
 * ```ts
 * const counter = createJsonCounter();
 * counter.push(new TextEncoder().encode('{"a": [1, 2, "{,"]}'));
 * counter.objects; // 1
 * counter.members; // 1
 * counter.values; // 4
 * counter.depth; // 2
 * ```
 */
export function createJsonCounter(): JsonCounter {
  let objects = 0;
  let arrays = 0;
  let members = 0;
  let values = 0;
  let open = 0;
  let depth = 0;
  let isString = false;
  let isEscaped = false;
  return {
    get objects() {
      return objects;
    },
    get arrays() {
      return arrays;
    },
    get members() {
      return members;
    },
    get values() {
      return values;
    },
    get depth() {
      return depth;
    },
    push(piece) {
      for (let at = 0; at < piece.length; at++) {
        if (isString) {
          const end = piece.indexOf(quote, at);
          const stop = end < 0 ? piece.length : end;
          isEscaped = endsEscaped(piece, at, stop, isEscaped);
          at = stop;
          if (end < 0) return;
          isString = isEscaped;
          isEscaped = false;
          continue;
        }
        switch (piece[at]) {
          case quote:
            isString = true;
            break;
          case comma:
            values++;
            break;
          case colon:
            members++;
            break;
          case openBrace:
            objects++;
            values++;
            depth = Math.max(depth, ++open);
            break;
          case openBracket:
            arrays++;
            values++;
            depth = Math.max(depth, ++open);
            break;
          case closeBracket:
          case closeBrace:
            open--;
        }
      }
    },
  };
}

/** Whether a byte at `stop` would be escaped: an odd number of backslashes stands before it. */
function endsEscaped(piece: Uint8Array, start: number, stop: number, wasEscaped: boolean): boolean {
  let first = stop;
  while (first > start && piece[first - 1] === backslash) first--;
  const count = stop - first;
  return (count % 2 === 1) !== (first === start && wasEscaped);
}
