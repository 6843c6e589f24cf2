import { writeExact } from '../../text/exact-json.ts';
import { refer, rule, sequence, text, type Bounds, type Expression } from '../languages/expression.ts';
import { anyString, bracketed, colon, comma, literals, stringOf } from '../languages/json-text.ts';
import type { Language } from '../languages/language.ts';
import { matching } from '../languages/regular-expression.ts';
import type { TextLanguages } from './texts.ts';

/** Strings of `min` to `max` characters, optionally restricted to a language. */
export interface StringSet extends Bounds {
  readonly language: Language | undefined;
  readonly texts: TextLanguages;
  readonly path: string;
}

export function anyStringOf(texts: TextLanguages): StringSet {
  return { min: 0, max: Infinity, language: undefined, texts, path: 'parameters' };
}

export interface Notation {
  /** Equal texts have the same id. */
  readonly id: string;
  readonly anyValue: Expression;
  /** Any member of an object, if it has no constraints. */
  readonly anyMember?: Expression | undefined;
  readonly anyObject?: Expression | undefined;
  readonly anyArray?: Expression | undefined;
  /** One of these values; values without a spelling are dropped. */
  constants(values: readonly unknown[]): Expression;
  number(digits: Expression): Expression;
  string(strings: StringSet): Expression;
  /** @param content items with `comma` between them */
  array(content: Expression): Expression;
  /** @param content members with `comma` between them */
  object(content: Expression): Expression;
  readonly comma: Expression;
  /** `undefined` for a name without a spelling. */
  member(name: string, value: Expression): Expression | undefined;
  /** A member with any of these names; `undefined` if the notation only supports known names. */
  members(names: Language, value: Expression, texts: TextLanguages, path: string): Expression | undefined;
  /** Notation of a member's value, also for members that the schema doesn't name. */
  ofMember(name?: string): Notation;
  ofItem(): Notation;
}

export type ArgumentsNotation = (texts: TextLanguages) => Notation;

/** The differences between a notation of literals and JSON. */
export interface LiteralStyle {
  readonly id: string;
  readonly anyString: Expression;
  /** Notation of keys, unless they are strings. */
  readonly key?: {
    readonly any: Expression;
    write(name: string): string;
    of(names: Language, texts: TextLanguages, path: string): Expression | undefined;
  };
  write(value: unknown): string;
  string(strings: StringSet): Expression;
}

/** Literals with objects in braces and arrays in brackets. */
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
    members(names, value, texts, path) {
      const written = key ? key.of(names, texts, path) : jsonStringOf(names, texts);
      return written && refer(rule('other', sequence(written, colon, value)));
    },
    ofMember: () => notation,
    ofItem: () => notation,
  };
  return notation;
}

function jsonStringOf(
  language: Language,
  { store }: TextLanguages,
  writing: 'json-string' | 'escaped-json-string' = 'json-string',
): Expression {
  if (language === store.all) return anyString;
  return sequence(text('"'), { type: 'language', language, store, writing }, text('"'));
}

export function jsonString({ min, max, language, texts }: StringSet): Expression {
  if (language) return jsonStringOf(language, texts);
  return min === 0 && max === Infinity ? anyString : stringOf({ min, max });
}

/** The names that match a pattern, written as is; `undefined` if no name does. */
export function namesOf(
  names: Language,
  pattern: string,
  texts: TextLanguages,
  path: string,
): Expression | undefined {
  const { store } = texts;
  const language = texts.shared(path, names, texts.pattern(pattern, path));
  return language === store.never ? undefined : { type: 'language', language, store, writing: 'plain' };
}

/** Unquoted strings, except the texts of the excluded languages. */
export function rawString(
  { min, max, language, texts, path }: StringSet,
  excluded: readonly Language[],
): Expression {
  const { store } = texts;
  const others = excluded.map((other) => store.complement(other));
  const own = texts.shared(path, language ?? texts.lengths(min, max), ...others);
  return { type: 'language', language: own, store, writing: 'plain' };
}

export function containing(part: string, { store }: TextLanguages): Language {
  return store.sequence(store.all, store.text(part), store.all);
}

export const jsonNotation = literalNotation({
  id: 'json',
  anyString,
  write: writeExact,
  string: jsonString,
});

/** JSON without the substring `part`: constants escape it if necessary. */
export function jsonWithout(part: string, texts: TextLanguages): Notation {
  const { store } = texts;
  const first = part.charCodeAt(0).toString(16).padStart(4, '0');
  const allowed = store.complement(containing(part, texts));
  const anyOther = refer(rule('string', jsonStringOf(allowed, texts, 'escaped-json-string')));
  return literalNotation({
    id: 'json without',
    anyString: anyOther,
    write: (value) => writeExact(value).replaceAll(part, `\\u${first}${part.slice(1)}`),
    string({ min, max, language, path }) {
      if (!language && min === 0 && max === Infinity) return anyOther;
      const all = language ?? texts.lengths(min, max);
      return jsonStringOf(
        texts.shared(path, all, allowed),
        texts,
        language ? 'json-string' : 'escaped-json-string',
      );
    },
  });
}

/** A text with optional line breaks and leading space, in which `⟨number⟩` and `⟨id⟩` match any number or id. */
export function looseText(written: string): Expression {
  const [space = ''] = /^ */.exec(written)!;
  const parts = written.slice(space.length).split(/(⟨number⟩|⟨id⟩|\n)/);
  return sequence(text(space, ''), ...parts.map((part) => looseParts.get(part) ?? text(part)));
}

const looseParts: ReadonlyMap<string, Expression> = new Map([
  ['\n', text('\n', '')],
  ['⟨number⟩', matching(String.raw`\d{1,3}`)],
  ['⟨id⟩', matching('[A-Za-z0-9_-]{1,24}')],
]);

export const anyObject: Expression = jsonNotation.anyObject!;
