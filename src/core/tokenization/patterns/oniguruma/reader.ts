import { TextCursor } from '../../../text/text-cursor.ts';
import type { Item, Matched } from '../backtracking.ts';

/** Goes through the characters of a pattern. */
export class Reader extends TextCursor {
  captures = 0;
  depth = 0;
  /** The options that `(?imx)` has switched on here. */
  flags = '';
  /** Why an assertion may take too long. */
  fault: string | undefined;

  next(): string {
    if (this.isAtEnd) throw this.failure('unexpected end');
    return this.takeCharacter();
  }

  failure(what: string): RangeError {
    const place = Array.from(this.source.slice(0, this.index)).length;
    return new RangeError(`regular expression: ${what} at ${place}`);
  }
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

/** Groups and classes may be nested so deeply. */
export const deepest = 100;

/** A character that stands for itself. */
export function literal(character: string, reader: Reader): string {
  const variants = caseVariants(character, reader);
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

/** The character, and the other cases of it where case doesn't count. */
export function caseVariants(character: string, { flags }: Reader): string[] {
  if (!flags.includes('i')) return [character];
  const lower = character.toLowerCase();
  const variants = new Set([character, lower, lower.toUpperCase(), character.toUpperCase()]);
  for (const [letter, further] of Object.entries(furtherVariants)) {
    if (lower === letter || character === further)
      for (const one of [letter, letter.toUpperCase(), further]) variants.add(one);
  }
  return [...variants].filter((variant) => [...variant].length === 1);
}
