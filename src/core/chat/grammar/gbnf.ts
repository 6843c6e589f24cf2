import { complement, intersection, union, type CodePointSet } from './code-points.ts';
import {
  character,
  choice,
  empty,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
  type Rule,
} from './expression.ts';
import { allCharacters } from './language.ts';
import { leftRecursiveRule } from './left-recursion.ts';
import { isNullable, nullableRules } from './nullable.ts';
import { productiveExpressions } from './productive.ts';
import { maxRepetitions } from './regular-expression.ts';
import { quoted } from './schema-keywords.ts';

const maxLength = 50_000;
const maxRules = 1000;
const maxDepth = 64;

const startRule = 'root';
const letterEscapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' };
const hexEscapes: Readonly<Record<string, number>> = { x: 2, u: 4, U: 8 };
const selfEscapes = '"\\[]-^/';

/**
 * Reads a grammar in GBNF, the notation of llama.cpp: rules `name ::= …` of texts in quotes, classes, `.`, names, groups,
 * `|`, `*`, `+`, `?` and `{m,n}`, with comments after `#`. The answer is what the rule `root` matches. A rule may have
 * line breaks anywhere.
 *
 * @param path how messages call the grammar
 * @throws RangeError beginning with the path, for a grammar that is malformed, too large, left-recursive, or that no
 * finite text matches
 *
 * @example
 * ```ts
 * gbnfGrammar('root ::= "yes" | "no"');
 * ```
 */
export function gbnfGrammar(grammar: string, path = 'grammar'): Expression {
  return new GrammarReader(grammar, path).read();
}

interface Bounds {
  readonly min: number;
  readonly max: number;
}

class GrammarReader {
  readonly #source: string;
  readonly #path: string;
  readonly #rules = new Map<string, Rule>();
  readonly #written = new Set<string>();
  readonly #counted: { readonly rule: Rule; readonly item: Expression; readonly bounds: Bounds }[] = [];
  #index = 0;

  constructor(source: string, path: string) {
    this.#source = source;
    this.#path = path;
  }

  read(): Expression {
    if (this.#source.length > maxLength) throw this.#fault(`expected at most ${maxLength} characters`);
    if (isLark(this.#source)) throw this.#fault('expected GBNF with rules as `root ::= …`, got Lark');
    this.#skip();
    while (this.#index < this.#source.length) this.#readRule();
    const root = this.#rules.get(startRule);
    if (!root || !this.#written.has(startRule)) throw this.#fault(`expected a rule \`${startRule}\``);
    for (const name of this.#rules.keys())
      if (!this.#written.has(name)) throw this.#fault(`expected a rule ${quoted(name)}, which others name`);
    return this.#checked(root);
  }

  #checked(root: Rule): Expression {
    const rules = [...this.#rules.values(), ...this.#counted.map((counted) => counted.rule)];
    const nullable = nullableRules(rules);
    const recursive = leftRecursiveRule(rules, nullable);
    if (recursive) throw this.#fault(`expected no left recursion, got it in ${quoted(recursive.name)}`);
    // Rounds that may write nothing have to say so: a program takes rules to write something.
    for (const { rule: own, item, bounds } of this.#counted)
      if (isNullable(item, nullable)) own.body = repeat(choice(item, empty), bounds);
    const grammar = refer(root);
    if (productiveExpressions(grammar)(grammar)) return grammar;
    throw this.#fault('expected a grammar that some finite text matches');
  }

  #readRule(): void {
    const name = this.#takeMatch(namePattern);
    if (name === undefined) throw this.#faultHere('expected the name of a rule');
    this.#skip();
    if (!this.#take('::=')) throw this.#faultHere('expected ::=');
    if (this.#written.has(name)) throw this.#fault(`expected one rule ${quoted(name)}`);
    this.#written.add(name);
    this.#skip();
    this.#rule(name).body = this.#readAlternatives(0);
  }

  #rule(name: string): Rule {
    let known = this.#rules.get(name);
    if (!known) {
      if (this.#rules.size >= maxRules) throw this.#fault(`expected at most ${maxRules} rules`);
      known = rule(name);
      this.#rules.set(name, known);
    }
    return known;
  }

  #readAlternatives(depth: number): Expression {
    if (depth > maxDepth) throw this.#fault(`expected at most ${maxDepth} nested groups`);
    const items: Expression[] = [];
    do {
      this.#skip();
      items.push(this.#readSequence(depth));
    } while (this.#take('|'));
    return choice(...items);
  }

  #readSequence(depth: number): Expression {
    const items: Expression[] = [];
    while (!this.#isAtEndOfSequence()) {
      const item = this.#readItem(depth);
      this.#skip();
      const bounds = this.#readBounds();
      items.push(bounds ? this.#repeated(item, bounds) : item);
      this.#skip();
    }
    return sequence(...items);
  }

  #repeated(item: Expression, bounds: Bounds): Expression {
    const expression = repeat(item, bounds);
    if (expression.type !== 'repeat' || (bounds.min === 0 && bounds.max === Infinity)) return expression;
    const own = rule('repetition', expression);
    this.#counted.push({ rule: own, item, bounds });
    return refer(own);
  }

  #isAtEndOfSequence(): boolean {
    const next = this.#source[this.#index];
    if (next === undefined || next === '|' || next === ')') return true;
    ruleStart.lastIndex = this.#index;
    return ruleStart.test(this.#source);
  }

  #readItem(depth: number): Expression {
    if (this.#take('"')) return this.#readText();
    if (this.#take('[')) return character(...this.#readClass());
    if (this.#take('.')) return character(...allCharacters);
    if (this.#take('(')) {
      const group = this.#readAlternatives(depth + 1);
      if (!this.#take(')')) throw this.#faultHere('expected )');
      return group;
    }
    const name = this.#takeMatch(namePattern);
    if (name === undefined) throw this.#faultHere('expected a text, a class, a group or a name');
    return refer(this.#rule(name));
  }

  #readBounds(): Bounds | undefined {
    if (this.#take('*')) return { min: 0, max: Infinity };
    if (this.#take('+')) return { min: 1, max: Infinity };
    if (this.#take('?')) return { min: 0, max: 1 };
    if (!this.#take('{')) return undefined;
    const written = this.#takeMatch(boundsPattern);
    if (written === undefined) throw this.#faultHere('expected {m}, {m,} or {m,n}');
    const [low, high = low] = written.slice(0, -1).split(',');
    const min = Number(low);
    const max = high?.trim() === '' ? Infinity : Number(high);
    if (min > maxRepetitions || (max > maxRepetitions && max !== Infinity))
      throw this.#fault(`expected at most ${maxRepetitions} repetitions`);
    if (min > max) throw this.#fault(`expected bounds that ascend, got {${min},${max}}`);
    return { min, max };
  }

  #readText(): Expression {
    let content = '';
    while (!this.#take('"')) content += String.fromCodePoint(this.#readCharacter('"'));
    return content === '' ? empty : text(content);
  }

  #readClass(): CodePointSet {
    const isNegated = this.#take('^');
    const parts: CodePointSet[] = [];
    while (!this.#take(']')) {
      const low = this.#readCharacter(']');
      const isRange = this.#source[this.#index] === '-' && this.#source[this.#index + 1] !== ']';
      if (isRange) this.#index++;
      parts.push([[low, isRange ? this.#readCharacter(']') : low]]);
    }
    if (parts.some(([range]) => range![0] > range![1])) throw this.#fault('expected ranges that ascend');
    const set = union(...parts);
    return intersection(isNegated ? complement(set) : set, allCharacters);
  }

  #readCharacter(end: string): number {
    const codePoint = this.#source.codePointAt(this.#index);
    if (codePoint === undefined) throw this.#fault(`expected ${end} before the end`);
    this.#index += codePoint > 0xffff ? 2 : 1;
    if (codePoint !== 0x5c) return codePoint;
    const letter = this.#source[this.#index++] ?? '';
    const plain = letterEscapes[letter] ?? (selfEscapes.includes(letter) ? letter : undefined);
    if (plain !== undefined && letter !== '') return plain.codePointAt(0)!;
    const length = hexEscapes[letter] ?? 0;
    const digits = this.#source.slice(this.#index, this.#index + length);
    const escaped = Number.parseInt(digits, 16);
    const isWhole = length > 0 && digits.length === length && /^[\da-f]+$/i.test(digits);
    if (!isWhole || escaped > 0x10ffff)
      throw this.#fault(`expected a known escape, got ${quoted(`\\${letter}`)}`);
    this.#index += length;
    return escaped;
  }

  #skip(): void {
    this.#takeMatch(/(?:\s|#[^\n\r]*)*/y);
  }

  #take(expected: string): boolean {
    if (!this.#source.startsWith(expected, this.#index)) return false;
    this.#index += expected.length;
    return true;
  }

  #takeMatch(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#index;
    const [found] = pattern.exec(this.#source) ?? [];
    if (found !== undefined) this.#index += found.length;
    return found;
  }

  #faultHere(expectation: string): RangeError {
    const rest = this.#source.slice(this.#index, this.#index + 20);
    return this.#fault(`${expectation}, got ${rest === '' ? 'the end' : quoted(rest)}`);
  }

  #fault(expectation: string): RangeError {
    return new RangeError(`${this.#path}: ${expectation}`);
  }
}

const namePattern = /[A-Za-z_][\w-]*/y;
const boundsPattern = /\s*\d{1,9}\s*(?:,\s*\d{0,9}\s*)?\}/y;
const ruleStart = /[A-Za-z_][\w-]*\s*::=/y;

/** Rules of Lark have one colon: `start: …`. */
function isLark(source: string): boolean {
  return !source.includes('::=') && /^\s*[?!]?[A-Za-z_]\w*(?:\.-?\d+)?\s*:|^\s*%\w/m.test(source);
}
