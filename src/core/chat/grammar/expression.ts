import type { CodePointRange } from './code-points.ts';
import type { Language, LanguageStore } from './language.ts';

/** Encoding of a text: its UTF-8 bytes, or the inside of a JSON string. */
export type Writing = 'plain' | 'json-string';

/** A rule of a grammar; its body may be set later, so that rules can refer to each other. */
export interface Rule {
  readonly name: string;
  body: Expression;
}

/** A context-free grammar over text. Plain data but for `Rule`s, which may be recursive. */
export type Expression =
  /** Exactly one of these texts. */
  | { readonly type: 'texts'; readonly texts: readonly string[] }
  /** One character out of these, written as it is. */
  | { readonly type: 'character'; readonly ranges: readonly CodePointRange[] }
  | { readonly type: 'sequence'; readonly items: readonly Expression[] }
  | { readonly type: 'choice'; readonly items: readonly Expression[] }
  | { readonly type: 'repeat'; readonly item: Expression; readonly min: number; readonly max: number }
  /** The inside of a JSON string that stands for `min` to `max` characters. */
  | { readonly type: 'string-content'; readonly min: number; readonly max: number }
  /** A text of a language: as it is, or as the inside of a JSON string. */
  | {
      readonly type: 'language';
      readonly language: Language;
      readonly store: LanguageStore;
      readonly writing: Writing;
    }
  /** Items, with `separator` between them, of which no two stand for the same text. `min` to `max` times. */
  | {
      readonly type: 'distinct';
      readonly item: Extract<Expression, { type: 'language' }>;
      readonly separator: Expression;
      readonly min: number;
      readonly max: number;
    }
  | { readonly type: 'rule'; readonly rule: Rule }
  /** Any text that ends with the first occurrence of a marker. */
  | { readonly type: 'text-until'; readonly markers: readonly string[] }
  /** Any text in which no marker occurs, not even one that begins in the text before it, `after`. */
  | { readonly type: 'text-without'; readonly markers: readonly string[]; readonly after?: string };

export const empty: Expression = { type: 'sequence', items: [] };

/** Nothing that can be written. */
export const never: Expression = { type: 'choice', items: [] };

export function text(...texts: string[]): Expression {
  return { type: 'texts', texts };
}

export function character(...ranges: CodePointRange[]): Expression {
  return { type: 'character', ranges };
}

export function sequence(...items: Expression[]): Expression {
  return items.length === 1 ? items[0]! : { type: 'sequence', items };
}

export function choice(...items: Expression[]): Expression {
  return items.length === 1 ? items[0]! : { type: 'choice', items };
}

export function optional(item: Expression): Expression {
  return choice(item, empty);
}

export function repeat(
  item: Expression,
  { min, max }: { readonly min: number; readonly max: number },
): Expression {
  if (max === 0) return empty;
  return min === 1 && max === 1 ? item : { type: 'repeat', item, min, max };
}

export function rule(name: string, body: Expression = never): Rule {
  return { name, body };
}

export function refer(target: Rule): Expression {
  return { type: 'rule', rule: target };
}
