import { getOrCreate } from '../../get-or-create.ts';
import {
  choice,
  empty,
  refer,
  repeat,
  rule,
  sequence,
  type Bounds,
  type Expression,
  type Rule,
} from '../languages/expression.ts';
import { rewriteLeftRecursion } from './left-recursion.ts';
import { isNullable, nullableRules } from '../languages/nullable.ts';
import { productiveExpressions } from '../languages/productive.ts';
import { maxRepetitions } from '../languages/regular-expression.ts';
import { quoted } from '../schemas/keywords.ts';
import { hexEscapeLengths } from '../../text/escapes.ts';
import { TextCursor } from '../../text/text-cursor.ts';

const maxLength = 50_000;
const maxRules = 1000;
const maxDepth = 64;

/** The common part of the grammar parsers. */
export abstract class GrammarReader extends TextCursor {
  readonly #rules = new Map<string, Rule>();
  readonly #written = new Set<string>();
  readonly #counted: { readonly rule: Rule; readonly item: Expression; readonly bounds: Bounds }[] = [];

  /** The end of a sequence of items: a sticky expression. */
  abstract readonly endOfSequence: RegExp;

  /** @throws RangeError for a text that is too long */
  constructor(source: string) {
    super(source);
    if (source.length > maxLength) throw this.fault(`expected at most ${maxLength} characters`);
  }

  /** A text, a class, a group, a name, … */
  abstract readItem(depth: number): Expression;
  /** The repetition after an item, if any. */
  abstract readBounds(): Bounds | undefined;
  /** Takes the separator of alternatives, if it follows. */
  abstract takeOr(): boolean;
  /** Skips spaces and comments. */
  abstract skip(): void;

  readAlternatives(depth: number): Expression {
    if (depth > maxDepth) throw this.fault(`expected at most ${maxDepth} nested groups`);
    const items: Expression[] = [];
    do {
      this.skip();
      items.push(this.#readSequence(depth));
    } while (this.takeOr());
    return choice(...items);
  }

  #readSequence(depth: number): Expression {
    const items: Expression[] = [];
    while (!this.isAt(this.endOfSequence)) {
      const item = this.readItem(depth);
      const bounds = this.readBounds();
      items.push(bounds ? this.repeated(item, bounds) : item);
      this.skip();
    }
    return sequence(...items);
  }

  readGroup(end: string, depth: number): Expression {
    const group = this.readAlternatives(depth + 1);
    if (!this.take(end)) throw this.faultHere(`expected ${end}`);
    return group;
  }

  /** The rule with a name; its definition may follow later. */
  named(name: string): Rule {
    return getOrCreate(this.#rules, name, () => {
      if (this.#rules.size >= maxRules) throw this.fault(`expected at most ${maxRules} rules`);
      return rule(name);
    });
  }

  /** Registers the definition of a rule, whose body is read next. */
  write(name: string): Rule {
    if (this.#written.has(name)) throw this.fault(`expected one rule ${quoted(name)}`);
    this.#written.add(name);
    return this.named(name);
  }

  /** Takes `*`, `+`, `?` or `{m,n}`, if it follows. */
  takeBounds(): Bounds | undefined {
    const [, operator] = this.takeMatch(/([*+?])/y) ?? [];
    if (operator !== undefined)
      return { min: operator === '+' ? 1 : 0, max: operator === '?' ? 1 : Infinity };
    if (!this.take('{')) return undefined;
    const [, times, min, max] = this.takeMatch(/\s*(?:(\d{1,9})|(\d{0,9})\s*,\s*(\d{0,9}))\s*\}/y) ?? [];
    if (times !== undefined) return this.bounds(Number(times), Number(times));
    if (min === undefined) throw this.faultHere('expected {m}, {m,} or {m,n}');
    return this.bounds(Number(min), max === '' ? Infinity : Number(max));
  }

  bounds(min: number, max: number): Bounds {
    if (min > maxRepetitions || (max > maxRepetitions && max !== Infinity))
      throw this.fault(`expected at most ${maxRepetitions} repetitions`);
    if (min > max) throw this.fault(`expected bounds that ascend, got ${min} to ${max}`);
    return { min, max };
  }

  repeated(item: Expression, bounds: Bounds): Expression {
    const expression = repeat(item, bounds);
    if (expression.type !== 'repeat' || (bounds.min === 0 && bounds.max === Infinity)) return expression;
    const own = rule('repetition', expression);
    this.#counted.push({ rule: own, item, bounds });
    return refer(own);
  }

  /** The grammar, after all rules have been read. */
  finish(startRule: string, grammar: Expression): Expression {
    if (!this.#written.has(startRule)) throw this.fault(`expected a rule \`${startRule}\``);
    for (const name of this.#rules.keys())
      if (!this.#written.has(name)) throw this.fault(`expected a rule ${quoted(name)}, which others name`);
    const rules = [...this.#rules.values(), ...this.#counted.map((counted) => counted.rule)];
    const nullable = nullableRules(rules);
    // A program requires nullable rules to be marked, so rounds that may be empty get an explicit empty alternative.
    for (const { rule: own, item, bounds } of this.#counted)
      if (isNullable(item, nullable)) own.body = repeat(choice(item, empty), bounds);
    const recursive = rewriteLeftRecursion(rules, nullable);
    if (recursive) {
      const kinds = 'behind what may be empty, without a text, or of too many rules';
      throw this.fault(`expected no left recursion ${kinds}, got it in ${quoted(recursive.name)}`);
    }
    if (productiveExpressions(grammar)(grammar)) return grammar;
    throw this.fault('expected a grammar that some finite text matches');
  }

  /** The code point of a character or of an escape: one of `escapes`, or `\x`, `\u`, `\U` with hex digits. */
  takeCodePoint(end: string, escapes: Readonly<Record<string, string>>): number {
    const codePoint = this.takeCharacter().codePointAt(0);
    if (codePoint === undefined) throw this.fault(`expected ${end} before the end`);
    if (codePoint !== 0x5c) return codePoint;
    const letter = this.source[this.index++] ?? '';
    if (Object.hasOwn(escapes, letter)) return escapes[letter]!.codePointAt(0)!;
    const digits = this.takeMatch(new RegExp(`[\\da-f]{${hexEscapeLengths[letter] ?? 0}}`, 'iy'))?.[0];
    const escaped = Number.parseInt(digits ?? '', 16);
    if (escaped <= 0x10ffff) return escaped;
    throw this.fault(`expected a known escape, got ${quoted(`\\${letter}`)}`);
  }

  faultHere(expectation: string): RangeError {
    const rest = this.source.slice(this.index, this.index + 20);
    return this.fault(`${expectation}, got ${rest === '' ? 'the end' : quoted(rest)}`);
  }

  fault(expectation: string): RangeError {
    return new RangeError(`grammar: ${expectation}`);
  }
}
