import { refer, rule, sequence, text, type Expression } from './expression.ts';
import { anyString, bracketed, colon, comma, literals, stringOf } from './json-text.ts';
import type { Language } from './language.ts';
import type { TextLanguages } from './schema-texts.ts';

/** Strings of `min` to `max` characters, all of them or those of a language. */
export interface StringSet {
  readonly min: number;
  readonly max: number;
  readonly language: Language | undefined;
  readonly texts: TextLanguages;
  readonly path: string;
}

/** How values are written. */
export interface Notation {
  /** What is written alike has one id. */
  readonly id: string;
  readonly anyValue: Expression;
  /** Any member of an object, where it needs no more than that. */
  readonly anyMember?: Expression | undefined;
  readonly anyObject?: Expression | undefined;
  readonly anyArray?: Expression | undefined;
  /** One of these values; those that can't be written are left out. */
  constants(values: readonly unknown[]): Expression;
  number(digits: Expression): Expression;
  string(strings: StringSet): Expression;
  /** @param content items with `comma` between them */
  array(content: Expression): Expression;
  /** @param content members with `comma` between them */
  object(content: Expression): Expression;
  readonly comma: Expression;
  /** `undefined` for a name that can't be written. */
  member(name: string, value: Expression): Expression | undefined;
  /** A member with one of these names; `undefined` where only known names can be written. */
  members(names: Language, value: Expression, texts: TextLanguages): Expression | undefined;
  /** How the value of a member is written, or that of one without a name of its own. */
  ofMember(name?: string): Notation;
  /** How an item of an array is written. */
  ofItem(): Notation;
}

/** Makes the notation of a call's arguments for their schema. */
export type ArgumentsNotation = (texts: TextLanguages) => Notation;

/** What tells a notation of literals from that of JSON. */
export interface LiteralStyle {
  readonly id: string;
  readonly anyString: Expression;
  /** Where keys are written like no string. */
  readonly key?: {
    readonly any: Expression;
    write(name: string): string;
    of(names: Language, texts: TextLanguages): Expression;
  };
  write(value: unknown): string;
  string(strings: StringSet): Expression;
}

/** Literals: objects in braces, arrays in brackets. */
export function literalNotation(style: LiteralStyle): Notation {
  const { id, key, write, string } = style;
  const words = {
    anyString: style.anyString,
    anyKey: key?.any ?? style.anyString,
    boolean: text(write(true), write(false)),
    nullText: text(write(null)),
  };
  const notation: Notation = {
    id,
    ...literals(words),
    constants: (values) => text(...values.map((value) => write(value))),
    number: (digits) => digits,
    string,
    array: (content) => bracketed('[', content, ']'),
    object: (content) => bracketed('{', content, '}'),
    comma,
    member: (name, value) =>
      refer(rule(name, sequence(text(key ? key.write(name) : write(name)), colon, value))),
    members(names, value, texts) {
      const written = key ? key.of(names, texts) : jsonStringOf(names, texts);
      return refer(rule('other', sequence(written, colon, value)));
    },
    ofMember: () => notation,
    ofItem: () => notation,
  };
  return notation;
}

/** A JSON string out of a language. */
export function jsonStringOf(language: Language, { store }: TextLanguages): Expression {
  if (language === store.all) return anyString;
  return sequence(text('"'), { type: 'language', language, store, writing: 'json-string' }, text('"'));
}

/** Strings as JSON has them. */
export function jsonString({ min, max, language, texts }: StringSet): Expression {
  if (language) return jsonStringOf(language, texts);
  return min === 0 && max === Infinity ? anyString : stringOf({ min, max });
}

export const jsonNotation = literalNotation({
  id: 'json',
  anyString,
  write: (value) => JSON.stringify(value),
  string: jsonString,
});

/** Any JSON object. */
export const anyObject: Expression = jsonNotation.anyObject!;
