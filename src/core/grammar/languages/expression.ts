import type { CodePointRange } from './code-points.ts';
import type { Language, LanguageStore } from './language.ts';

/**
 * Encoding of a text: its UTF-8 bytes, or the inside of a JSON string. In `json-string` only characters that need an
 * escape may have one: otherwise the escape of a letter would always be legal, and would win whenever the language
 * blocks the model's choice. `escaped-json-string` allows all escapes.
 */
export type Writing = 'plain' | 'json-string' | 'escaped-json-string';

/** A rule of a grammar; its body may be set later to allow recursion. */
export interface Rule {
  readonly name: string;
  body: Expression;
}

/** Minimum and maximum number of repetitions, or of items. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** A context-free grammar over text. Plain data except for `Rule`s, which may be recursive. */
export type Expression =
  /** Exactly one of these texts. */
  | { readonly type: 'texts'; readonly texts: readonly string[] }
  /** One character of these ranges, unescaped. */
  | { readonly type: 'character'; readonly ranges: readonly CodePointRange[] }
  | { readonly type: 'sequence'; readonly items: readonly Expression[] }
  | { readonly type: 'choice'; readonly items: readonly Expression[] }
  | (Bounds & { readonly type: 'repeat'; readonly item: Expression })
  /** A text of a language, plain or as the inside of a JSON string. */
  | {
      readonly type: 'language';
      readonly language: Language;
      readonly store: LanguageStore;
      readonly writing: Writing;
    }
  /** A text of a language, a JSON string with its quotes: the items of a `distinct` list are compared by it. */
  | { readonly type: 'mark'; readonly of: LanguageText }
  /**
   * `min` to `max` items, with `separator` between them. Each has one `mark`, outside any rule, and no two marks are
   * the same text. Languages after the mark are in rules.
   */
  | (Bounds & { readonly type: 'distinct'; readonly item: Expression; readonly separator: Expression })
  | { readonly type: 'rule'; readonly rule: Rule }
  /**
   * Any text up to the first occurrence of a marker: including it if `isClosed`, else without any marker, even one that
   * begins in `after`, the preceding text.
   */
  | {
      readonly type: 'free-text';
      readonly markers: readonly string[];
      readonly isClosed: boolean;
      readonly after: string;
    };

export type LanguageText = Extract<Expression, { type: 'language' }>;

export const empty: Expression = { type: 'sequence', items: [] };

/** Matches no text. */
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

export function repeat(item: Expression, { min, max }: Bounds): Expression {
  if (max === 0) return empty;
  return min === 1 && max === 1 ? item : { type: 'repeat', item, min, max };
}

export function rule(name: string, body: Expression = never): Rule {
  return { name, body };
}

export function refer(target: Rule): Expression {
  return { type: 'rule', rule: target };
}
