import { complement, intersection, union, type CodePointSet } from '../languages/code-points.ts';
import { character, choice, empty, refer, sequence, text, type Expression } from '../languages/expression.ts';
import { GrammarRules } from './grammar-rules.ts';
import { allCharacters } from '../languages/language.ts';
import { TextCursor } from './text-cursor.ts';

const startRule = 'root';
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  ...Object.fromEntries(Array.from('"\\[]-^/', (letter) => [letter, letter])),
};

/**
 * Reads a grammar in GBNF, the notation of llama.cpp: rules `name ::= …` of texts in quotes, classes, `.`, names, groups, `|`,
 * `*`, `+`, `?` and `{m,n}`, with comments after `#`. The answer is what the rule `root` matches. A rule may have line breaks
 * anywhere.
 */
export function gbnfGrammar(grammar: string, path = 'grammar'): Expression {
  return new GrammarReader(grammar, path).read();
}

class GrammarReader {
  readonly #cursor: TextCursor;
  readonly #rules: GrammarRules;

  constructor(source: string, path: string) {
    this.#cursor = new TextCursor(source, path);
    this.#rules = new GrammarRules(this.#cursor);
  }

  read(): Expression {
    this.#skip();
    while (!this.#cursor.isAtEnd) this.#readRule();
    return this.#rules.finish(startRule, refer(this.#rules.named(startRule)));
  }

  #readRule(): void {
    const name = this.#takeName();
    if (name === undefined) throw this.#cursor.faultHere('expected the name of a rule');
    this.#skip();
    if (!this.#cursor.take('::=')) throw this.#cursor.faultHere('expected ::=');
    const own = this.#rules.write(name);
    this.#skip();
    own.body = this.#readAlternatives(0);
  }

  #readAlternatives(depth: number): Expression {
    this.#rules.checkDepth(depth);
    const items: Expression[] = [];
    do {
      this.#skip();
      items.push(this.#readSequence(depth));
    } while (this.#cursor.take('|'));
    return choice(...items);
  }

  #readSequence(depth: number): Expression {
    const items: Expression[] = [];
    while (!this.#cursor.isAt(endPattern)) {
      const item = this.#readItem(depth);
      this.#skip();
      const bounds = this.#rules.takeBounds();
      items.push(bounds ? this.#rules.repeated(item, bounds) : item);
      this.#skip();
    }
    return sequence(...items);
  }

  #readItem(depth: number): Expression {
    if (this.#cursor.take('"')) return this.#readText();
    if (this.#cursor.take('[')) return character(...this.#readClass());
    if (this.#cursor.take('.')) return character(...allCharacters);
    if (this.#cursor.take('(')) {
      const group = this.#readAlternatives(depth + 1);
      if (!this.#cursor.take(')')) throw this.#cursor.faultHere('expected )');
      return group;
    }
    const name = this.#takeName();
    if (name === undefined) throw this.#cursor.faultHere('expected a text, a class, a group or a name');
    return refer(this.#rules.named(name));
  }

  #readText(): Expression {
    let content = '';
    while (!this.#cursor.take('"')) content += String.fromCodePoint(this.#readCharacter('"'));
    return content === '' ? empty : text(content);
  }

  #readClass(): CodePointSet {
    const isNegated = this.#cursor.take('^');
    const parts: CodePointSet[] = [];
    while (!this.#cursor.take(']')) {
      const low = this.#readCharacter(']');
      const isRange = this.#cursor.isAt(/-(?!\])/y);
      if (isRange) this.#cursor.take('-');
      parts.push([[low, isRange ? this.#readCharacter(']') : low]]);
    }
    if (parts.some(([range]) => range![0] > range![1]))
      throw this.#cursor.fault('expected ranges that ascend');
    const set = union(...parts);
    return intersection(isNegated ? complement(set) : set, allCharacters);
  }

  #readCharacter(end: string): number {
    return this.#cursor.takeCharacter(end, escapes);
  }

  #takeName(): string | undefined {
    return this.#cursor.takeMatch(namePattern)?.[0];
  }

  #skip(): void {
    this.#cursor.takeMatch(/(?:\s|#[^\n\r]*)*/y);
  }
}

const namePattern = /[A-Za-z_][\w-]*/y;
const endPattern = /$|[|)]|[A-Za-z_][\w-]*\s*::=/y;
