import { TextCursor } from '../../../text/text-cursor.ts';

export class Reader extends TextCursor {
  depth = 0;
  /** The options that `(?imx)` has enabled here. */
  flags = '';

  next(): string {
    if (this.isAtEnd) throw this.failure('unexpected end');
    return this.takeCharacter();
  }

  failure(what: string): RangeError {
    const place = Array.from(this.source.slice(0, this.index)).length;
    return new RangeError(`regular expression: ${what} at ${place}`);
  }
}

/** Maximum nesting of groups and classes. */
export const maxNesting = 100;

export function literal(character: string, reader: Reader): string {
  const variants = caseVariants(character, reader);
  return variants.length === 1 ? quote(character) : `[${variants.map(quote).join('')}]`;
}

export function quote(character: string): string {
  if (/^[\p{L}\p{N} ]$/u.test(character)) return character;
  return `\\u{${character.codePointAt(0)!.toString(16)}}`;
}

/** Letters beyond upper and lower case with the same case folding. */
const furtherVariants: Readonly<Record<string, string>> = {
  s: 'ſ',
  k: '\u212A',
  å: '\u212B',
  ω: '\u2126',
  β: 'ϐ',
  μ: 'µ',
};

/** The character, and its other cases if case is ignored. */
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
