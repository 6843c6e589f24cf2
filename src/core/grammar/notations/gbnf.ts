import { complement, intersection, union, type CodePointSet } from '../languages/code-points.ts';
import { character, empty, refer, text, type Bounds, type Expression } from '../languages/expression.ts';
import { GrammarReader } from './grammar-reader.ts';
import { allCharacters } from '../languages/language.ts';

const startRule = 'root';
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  ...Object.fromEntries(Array.from('"\\[]-^/', (letter) => [letter, letter])),
};

/**
 * Parses a grammar in GBNF, the notation of llama.cpp: rules `name ::= …` of quoted texts, classes, `.`, names, groups, `|`,
 * `*`, `+`, `?` and `{m,n}`, with comments after `#`. The start rule is `root`. A rule may contain line breaks anywhere.
 */
export function gbnfGrammar(grammar: string): Expression {
  return new GbnfReader(grammar).read();
}

class GbnfReader extends GrammarReader {
  override readonly endOfSequence = endPattern;

  read(): Expression {
    this.skip();
    while (!this.isAtEnd) this.#readRule();
    return this.finish(startRule, refer(this.named(startRule)));
  }

  #readRule(): void {
    const [name] = this.takeMatch(namePattern) ?? [];
    if (name === undefined) throw this.faultHere('expected the name of a rule');
    this.skip();
    if (!this.take('::=')) throw this.faultHere('expected ::=');
    const own = this.write(name);
    this.skip();
    own.body = this.readAlternatives(0);
  }

  override readItem(depth: number): Expression {
    if (this.take('"')) return this.#readText();
    if (this.take('[')) return character(...this.#readClass());
    if (this.take('.')) return character(...allCharacters);
    if (this.take('(')) return this.readGroup(')', depth);
    const [name] = this.takeMatch(namePattern) ?? [];
    if (name === undefined) throw this.faultHere('expected a text, a class, a group or a name');
    return refer(this.named(name));
  }

  #readText(): Expression {
    let content = '';
    while (!this.take('"')) content += String.fromCodePoint(this.takeCodePoint('"', escapes));
    return content === '' ? empty : text(content);
  }

  #readClass(): CodePointSet {
    const isNegated = this.take('^');
    const parts: CodePointSet[] = [];
    while (!this.take(']')) {
      const low = this.takeCodePoint(']', escapes);
      const isRange = this.isAt(/-(?!\])/y);
      if (isRange) this.take('-');
      parts.push([[low, isRange ? this.takeCodePoint(']', escapes) : low]]);
    }
    if (parts.some(([range]) => range![0] > range![1])) throw this.fault('expected ranges that ascend');
    const set = union(...parts);
    return intersection(isNegated ? complement(set) : set, allCharacters);
  }

  override readBounds(): Bounds | undefined {
    this.skip();
    return this.takeBounds();
  }

  override takeOr(): boolean {
    return this.take('|');
  }

  override skip(): void {
    this.takeMatch(/(?:\s|#[^\n\r]*)*/y);
  }
}

const namePattern = /[A-Za-z_][\w-]*/y;
const endPattern = /$|[|)]|[A-Za-z_][\w-]*\s*::=/y;
