import { choice, empty, refer, repeat, rule, type Expression, type Rule } from '../languages/expression.ts';
import { rewriteLeftRecursion } from './left-recursion.ts';
import { isNullable, nullableRules } from '../languages/nullable.ts';
import { productiveExpressions } from '../languages/productive.ts';
import { maxRepetitions } from '../languages/regular-expression.ts';
import { quoted } from '../schemas/keywords.ts';
import type { TextCursor } from './text-cursor.ts';

const maxLength = 50_000;
const maxRules = 1000;
const maxDepth = 64;

/** Least and greatest number of rounds. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

/** The rules of a grammar that is being read, in whichever notation, and their bounds. */
export class GrammarRules {
  readonly #cursor: TextCursor;
  readonly #rules = new Map<string, Rule>();
  readonly #written = new Set<string>();
  readonly #counted: { readonly rule: Rule; readonly item: Expression; readonly bounds: Bounds }[] = [];

  /** @throws RangeError for a text that is too long */
  constructor(cursor: TextCursor) {
    this.#cursor = cursor;
    if (cursor.source.length > maxLength) throw cursor.fault(`expected at most ${maxLength} characters`);
  }

  /** The rule of a name, which may be written later. */
  named(name: string): Rule {
    let known = this.#rules.get(name);
    if (!known) {
      if (this.#rules.size >= maxRules) throw this.#cursor.fault(`expected at most ${maxRules} rules`);
      known = rule(name);
      this.#rules.set(name, known);
    }
    return known;
  }

  /** Claims a name, whose body is written next. */
  write(name: string): Rule {
    if (this.#written.has(name)) throw this.#cursor.fault(`expected one rule ${quoted(name)}`);
    this.#written.add(name);
    return this.named(name);
  }

  checkDepth(depth: number): void {
    if (depth > maxDepth) throw this.#cursor.fault(`expected at most ${maxDepth} nested groups`);
  }

  /** `*`, `+`, `?` or `{m,n}`, if that comes next. */
  takeBounds(): Bounds | undefined {
    const cursor = this.#cursor;
    const [, operator] = cursor.takeMatch(/([*+?])/y) ?? [];
    if (operator !== undefined)
      return { min: operator === '+' ? 1 : 0, max: operator === '?' ? 1 : Infinity };
    if (!cursor.take('{')) return undefined;
    const [, times, min, max] = cursor.takeMatch(/\s*(?:(\d{1,9})|(\d{0,9})\s*,\s*(\d{0,9}))\s*\}/y) ?? [];
    if (times !== undefined) return this.bounds(Number(times), Number(times));
    if (min === undefined) throw cursor.faultHere('expected {m}, {m,} or {m,n}');
    return this.bounds(Number(min), max === '' ? Infinity : Number(max));
  }

  bounds(min: number, max: number): Bounds {
    if (min > maxRepetitions || (max > maxRepetitions && max !== Infinity))
      throw this.#cursor.fault(`expected at most ${maxRepetitions} repetitions`);
    if (min > max) throw this.#cursor.fault(`expected bounds that ascend, got ${min} to ${max}`);
    return { min, max };
  }

  repeated(item: Expression, bounds: Bounds): Expression {
    const expression = repeat(item, bounds);
    if (expression.type !== 'repeat' || (bounds.min === 0 && bounds.max === Infinity)) return expression;
    const own = rule('repetition', expression);
    this.#counted.push({ rule: own, item, bounds });
    return refer(own);
  }

  /** The grammar, once all rules are read. */
  finish(startRule: string, grammar: Expression): Expression {
    const fault = (expectation: string): RangeError => this.#cursor.fault(expectation);
    if (!this.#written.has(startRule)) throw fault(`expected a rule \`${startRule}\``);
    for (const name of this.#rules.keys())
      if (!this.#written.has(name)) throw fault(`expected a rule ${quoted(name)}, which others name`);
    const rules = [...this.#rules.values(), ...this.#counted.map((counted) => counted.rule)];
    const nullable = nullableRules(rules);
    // Rounds that may write nothing have to say so: a program takes rules to write something.
    for (const { rule: own, item, bounds } of this.#counted)
      if (isNullable(item, nullable)) own.body = repeat(choice(item, empty), bounds);
    const recursive = rewriteLeftRecursion(rules, nullable);
    if (recursive) {
      const kinds = 'behind what may be empty, without a text, or of too many rules';
      throw fault(`expected no left recursion ${kinds}, got it in ${quoted(recursive.name)}`);
    }
    if (productiveExpressions(grammar)(grammar)) return grammar;
    throw fault('expected a grammar that some finite text matches');
  }
}

const integer = '[0-9]+';
const decimal = String.raw`(?:[0-9]+\.[0-9]*|\.[0-9]+)`;
const exponent = '[eE][+-]?[0-9]+';
const float = `(?:${integer}${exponent}|${decimal}(?:${exponent})?)`;
const number = `(?:${float}|${integer})`;
const sign = '[+-]?';

/**
 * Regular expressions of the terminals that Lark has in `common`. Where Lark looks for the nearest end, as of a
 * comment, they leave the end out of the text before it.
 */
export const larkTerminals: Readonly<Record<string, string>> = {
  DIGIT: '[0-9]',
  HEXDIGIT: '[0-9A-Fa-f]',
  INT: integer,
  SIGNED_INT: sign + integer,
  DECIMAL: decimal,
  _EXP: exponent,
  FLOAT: float,
  SIGNED_FLOAT: sign + float,
  NUMBER: number,
  SIGNED_NUMBER: sign + number,
  LCASE_LETTER: '[a-z]',
  UCASE_LETTER: '[A-Z]',
  LETTER: '[A-Za-z]',
  WORD: '[A-Za-z]+',
  CNAME: '[A-Za-z_][A-Za-z_0-9]*',
  ESCAPED_STRING: String.raw`"(?:[^"\\\n]|\\[^\n])*"`,
  WS_INLINE: '[ \\t]+',
  WS: '[ \\t\\f\\r\\n]+',
  CR: '\\r',
  LF: '\\n',
  NEWLINE: '(?:\\r?\\n)+',
  SH_COMMENT: '#[^\\n]*',
  CPP_COMMENT: '//[^\\n]*',
  C_COMMENT: String.raw`/\*[^*]*\*+(?:[^/*][^*]*\*+)*/`,
  SQL_COMMENT: '--[^\\n]*',
};
