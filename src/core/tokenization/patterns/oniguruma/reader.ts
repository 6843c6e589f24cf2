import type { Item, Matched } from '../backtracking.ts';

/** Goes through the characters of a pattern. */
export interface Reader {
  readonly characters: readonly string[];
  at: number;
  captures: number;
  depth: number;
  /** Why an assertion may take too long. */
  fault: string | undefined;
}

/** A part of a pattern: its source in JavaScript, and what it matches. */
export interface Part extends Matched {
  readonly source: string;
}

/** A part that is one character out of a class. */
export function partOfSet(source: string): Part {
  return { source, set: `[${source}]`, alternatives: [] };
}

/** A part that takes no characters. */
export function partOfNone(source: string): Part {
  return { source, set: undefined, alternatives: [] };
}

/** A part that matches once. */
export function once<Shape extends Matched>(part: Shape): Shape & Item {
  return { ...part, min: 1, max: 1 };
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

/** A character that stands for itself. */
export function literal(character: string, flags: Flags): string {
  const variants = flags.ignoreCase ? caseVariants(character) : [character];
  return variants.length === 1 ? quote(character) : `[${variants.map(quote).join('')}]`;
}

export function quote(character: string): string {
  if (/^[\p{L}\p{N} ]$/u.test(character)) return character;
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Letters beyond upper and lower case that fold to the same one. */
const furtherVariants: Readonly<Record<string, string>> = {
  s: 'ſ',
  k: '\u212A',
  å: '\u212B',
  ω: '\u2126',
  β: 'ϐ',
  μ: 'µ',
};

export function caseVariants(character: string): string[] {
  const lower = character.toLowerCase();
  const variants = new Set([character, lower, lower.toUpperCase(), character.toUpperCase()]);
  for (const [letter, further] of Object.entries(furtherVariants)) {
    if (lower === letter || character === further)
      for (const one of [letter, letter.toUpperCase(), further]) variants.add(one);
  }
  return [...variants].filter((variant) => [...variant].length === 1);
}
