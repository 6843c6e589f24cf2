import { orElse } from './or-else.ts';
import { JsonCounter, maxJsonLevels } from './json-counter.ts';

/** Limits of a JSON text. */
export interface JsonBounds {
  /** UTF-16 code units. */
  readonly characters?: number | undefined;
  /** Approximate number of all values, as counted by `JsonCounter`. */
  readonly values: number;
  /** Levels of arrays and objects; default 512. */
  readonly depth?: number | undefined;
}

/** Maximum values in the arguments of all calls of a conversation. */
export const maxArgumentValues = 2 ** 16;

const utf8 = new TextEncoder();
const piece = new Uint8Array(2 ** 16);
/** Code units that certainly fit as UTF-8. */
const pieceUnits = Math.floor(piece.length / 3);

export type JsonCount = ReturnType<typeof countJson>;

/**
 * Counts the parts of a text that may be JSON, and stops at the first limit that is exceeded.
 * @param counter continues the count of previous texts
 */
export function countJson(
  text: string,
  { characters = Infinity, values, depth = maxJsonLevels }: JsonBounds,
  counter = new JsonCounter(),
): { readonly fault: string | undefined; readonly counter: JsonCounter } {
  let fault = text.length > characters ? `expected at most ${characters} characters` : undefined;
  for (let at = 0; at < text.length && fault === undefined; at += pieceUnits) {
    const { written } = utf8.encodeInto(text.slice(at, at + pieceUnits), piece);
    counter.push(piece.subarray(0, written));
    if (counter.values > values) fault = `expected at most ${values} values`;
    if (counter.depth > depth) fault = `expected at most ${depth} levels of nesting`;
  }
  return { fault, counter };
}

/** Parses a caller's JSON text after counting its parts: the parser takes seconds for megabytes of brackets. */
export function parseBounded(text: string, bounds: JsonBounds): unknown {
  const { fault } = countJson(text, bounds);
  if (fault !== undefined) throw new RangeError(fault);
  return JSON.parse(text);
}

/** Whether a text is one complete JSON value. */
export function isJson(text: string): boolean {
  return orElse(() => JSON.parse(text) !== undefined, false);
}
