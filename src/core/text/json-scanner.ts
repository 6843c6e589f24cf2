import { backslash, closeBrace, closeBracket, openBrace, openBracket, quote } from './json-counter.ts';

/** Tracks one JSON value in a stream of text. */
export interface JsonScanner {
  /** `complete` once the value has ended, `invalid` once the text can't be JSON. */
  readonly state: 'open' | 'complete' | 'invalid';
  /**
   * Reads `text` from index `from` (default 0). Returns the index after the value if it is complete, the index of the
   * first invalid code unit if it is invalid, else the text's length. White space before the value is part of it. A
   * number is complete only when the next character has been read.
   */
  scan(text: string, from?: number): number;
}

const space = ' \n\r\t';
const digits = '0123456789';
const hexDigits = `${digits}abcdefABCDEF`;
const exponentSteps = { [digits]: 'exponent-digits' } as const;
const valueSteps = {
  '{': 'key-or-end',
  '[': 'value-or-end',
  '"': 'string',
  t: 'rue',
  f: 'alse',
  n: 'ull',
  '-': 'sign',
  '0': 'zero',
  '123456789': 'integer',
} as const;

/** The allowed characters at each state, and the next state for each. */
const steps = {
  value: { [space]: 'value', ...valueSteps },
  'value-or-end': { [space]: 'value-or-end', ']': 'end', ...valueSteps },
  key: { [space]: 'key', '"': 'name' },
  'key-or-end': { [space]: 'key-or-end', '}': 'end', '"': 'name' },
  colon: { [space]: 'colon', ':': 'value' },
  'comma-or-end': { [space]: 'comma-or-end', ']}': 'end', ',': 'another' },
  string: { '"': 'end', '\\': 'escape' },
  escape: { '"\\/bfnrt': 'string', u: '4 hex' },
  '4 hex': { [hexDigits]: '3 hex' },
  '3 hex': { [hexDigits]: '2 hex' },
  '2 hex': { [hexDigits]: '1 hex' },
  '1 hex': { [hexDigits]: 'string' },
  rue: { r: 'ue' },
  ue: { u: 'e' },
  alse: { a: 'lse' },
  lse: { l: 'se' },
  se: { s: 'e' },
  e: { e: 'end' },
  ull: { u: 'll' },
  ll: { l: 'l' },
  l: { l: 'end' },
  sign: { '0': 'zero', '123456789': 'integer' },
  zero: { '.': 'point', eE: 'exponent' },
  integer: { [digits]: 'integer', '.': 'point', eE: 'exponent' },
  point: { [digits]: 'fraction' },
  fraction: { [digits]: 'fraction', eE: 'exponent' },
  exponent: { '+-': 'exponent-sign', ...exponentSteps },
  'exponent-sign': exponentSteps,
  'exponent-digits': exponentSteps,
} as const;

type Place = keyof typeof steps;
/** In addition to states: a value has ended, a member's name begins, a further item or member follows. */
type Next = Place | 'end' | 'name' | 'another';

/** By state, then by code unit. */
const nextPlaces = Object.fromEntries(
  Object.entries(steps).map(([place, ways]) => {
    const row: Next[] = [];
    for (const [signs, next] of Object.entries(ways))
      for (const sign of signs) row[sign.charCodeAt(0)] = next;
    return [place, row];
  }),
) as Record<Place, Next[]>;

const wholeNumbers: ReadonlySet<Place> = new Set<Place>(['zero', 'integer', 'fraction', 'exponent-digits']);

/**
 * Finds the end of a JSON value (RFC 8259) and validates it: `JSON.parse` accepts a `complete` value, and rejects an
 * `invalid` one, whatever follows. Stores only one number per nesting level.
 */
export function createJsonScanner(): JsonScanner {
  /** Expected closing brackets, innermost last. */
  const closers: number[] = [];
  let state: JsonScanner['state'] = 'open';
  let place: Place = 'value';
  let isName = false;

  function scan(text: string, from = 0): number {
    let index = from;
    while (index < text.length && isOpen()) {
      if (place === 'string') index = skipPlainUnits(text, index);
      if (index < text.length && accepts(text.charCodeAt(index))) index++;
    }
    return index;
  }

  function isOpen(): boolean {
    return state === 'open';
  }

  /** Consumes the next code unit; false if it is invalid or follows a number. */
  function accepts(unit: number): boolean {
    const next = nextPlaces[place][unit];
    const isCloser = unit === closeBrace || unit === closeBracket;
    if (next === undefined && wholeNumbers.has(place)) {
      endValue();
      return false;
    }
    if (next === undefined || (isCloser && closers.pop() !== unit)) {
      state = 'invalid';
      return false;
    }
    if (unit === openBrace) closers.push(closeBrace);
    if (unit === openBracket) closers.push(closeBracket);
    enter(next);
    return true;
  }

  function enter(next: Next): void {
    const wasName = isName;
    isName = next === 'name' || (isName && next !== 'end');
    if (next === 'end' && wasName) place = 'colon';
    else if (next === 'end') endValue();
    else if (next === 'another') place = closers.at(-1) === closeBrace ? 'key' : 'value';
    else place = next === 'name' ? 'string' : next;
  }

  function endValue(): void {
    if (closers.length === 0) state = 'complete';
    else place = 'comma-or-end';
  }

  return {
    get state() {
      return state;
    },
    scan,
  };
}

/** Index of a string's next special unit. */
function skipPlainUnits(text: string, from: number): number {
  let index = from;
  while (index < text.length) {
    const unit = text.charCodeAt(index);
    if (unit === quote || unit === backslash || unit < 0x20) break;
    index++;
  }
  return index;
}
