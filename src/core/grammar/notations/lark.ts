import { codePointsOf, intersection, type CodePointSet } from '../languages/code-points.ts';
import {
  character,
  choice,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
} from '../languages/expression.ts';
import { GrammarRules, type Bounds, larkTerminals } from './grammar-rules.ts';
import { allCharacters } from '../languages/language.ts';
import { withOtherCases } from '../languages/other-cases.ts';
import {
  createPatternBudget,
  parsePattern,
  type Pattern,
  type PatternOptions,
} from '../languages/regular-expression.ts';
import { quoted } from '../schemas/keywords.ts';
import { TextCursor } from './text-cursor.ts';

const maxRanges = 100_000;

const startRule = 'start';
const escapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  f: '\f',
  '"': '"',
  '\\': '\\',
  '/': '/',
};
/** Constructs that only other readers know, by their first character. */
const foreign: Readonly<Record<string, string>> = {
  '{': 'templates',
  '<': 'tokens as <…>',
  '@': 'other grammars as @…',
  '&': 'terminals as A & B',
  '~': 'terminals as ~A',
};

/**
 * Reads a grammar in Lark, the notation of the Python package of this name: rules in lower case, terminals in upper case,
 * texts, ranges, regular expressions, groups, `[…]`, `|`, `*`, `+`, `?`, `~ n..m`, `%import common.…`, `%ignore`. The answer is
 * what the rule `start` matches.
 */
export function larkGrammar(grammar: string, path = 'grammar'): Expression {
  return new LarkReader(grammar, path).read();
}

class LarkReader {
  readonly #cursor: TextCursor;
  readonly #rules: GrammarRules;
  readonly #ignored = rule('ignored');
  readonly #ignores: Expression[] = [];
  readonly #mayIgnore: boolean;
  readonly #budget = createPatternBudget();
  #isInTerminal = false;
  #ranges = 0;

  constructor(source: string, path: string) {
    this.#cursor = new TextCursor(source, path);
    this.#rules = new GrammarRules(this.#cursor);
    this.#mayIgnore = /^[ \t]*%ignore/m.test(source);
  }

  read(): Expression {
    const cursor = this.#cursor;
    cursor.takeMatch(/\s*%llguidance[ \t]*\{\s*\}/y);
    for (this.#skip(); !cursor.isAtEnd; this.#skip()) {
      if (cursor.take('%ignore')) this.#ignores.push(this.#readBody('terminal'));
      else if (cursor.take('%import')) this.#readImport();
      else if (cursor.isAt(/%/y)) throw cursor.faultHere('expected %ignore or %import');
      else this.#readRule();
    }
    this.#ignored.body = repeat(choice(...this.#ignores), { min: 0, max: Infinity });
    return this.#rules.finish(startRule, sequence(refer(this.#ignored), refer(this.#rules.named(startRule))));
  }

  #readRule(): void {
    const cursor = this.#cursor;
    cursor.takeMatch(/[?!]{0,2}/y);
    const name = this.#readName('expected a rule as `name: …`');
    cursor.takeMatch(/[ \t]*(?:\.-?\d+[ \t]*)?/y);
    if (cursor.isAt(/\[/y)) throw cursor.faultHere('expected no attributes of rules');
    this.#refuseForeign();
    if (!cursor.take(':')) throw cursor.faultHere('expected :');
    const own = this.#rules.write(name);
    own.body = this.#readBody(isTerminal(name) ? 'terminal' : 'rule');
  }

  #readImport(): void {
    const cursor = this.#cursor;
    if (!cursor.takeMatch(/[ \t]+common\b/y)) throw cursor.faultHere('expected %import common.…');
    if (cursor.takeMatch(/[ \t]*\(/y)) {
      do {
        this.#skip();
        this.#import(this.#readName('expected a terminal'));
        this.#skip();
      } while (cursor.take(','));
      if (!cursor.take(')')) throw cursor.faultHere('expected )');
      return;
    }
    if (!cursor.take('.')) throw cursor.faultHere('expected %import common.…');
    const name = this.#readName('expected a terminal');
    const isRenamed = cursor.takeMatch(/[ \t]*->[ \t]*/y);
    this.#import(name, isRenamed && this.#readName('expected a terminal'));
  }

  #import(name: string, own = name): void {
    if (!Object.hasOwn(larkTerminals, name)) {
      const known = Object.keys(larkTerminals).join(', ');
      throw this.#cursor.fault(`expected a terminal of common (${known}), got ${quoted(name)}`);
    }
    if (!isTerminal(own)) throw this.#cursor.fault(`expected a terminal in upper case, got ${quoted(own)}`);
    this.#rules.write(own).body = this.#pattern(larkTerminals[name]!, '');
  }

  #readBody(kind: 'rule' | 'terminal'): Expression {
    this.#isInTerminal = kind === 'terminal';
    return this.#readAlternatives(0);
  }

  #readAlternatives(depth: number): Expression {
    this.#rules.checkDepth(depth);
    const items: Expression[] = [];
    do {
      this.#skip();
      items.push(this.#readSequence(depth));
      if (!this.#isInTerminal) this.#cursor.takeMatch(/->[ \t]*[\w-]+/y);
      this.#skip();
    } while (this.#cursor.take('|'));
    return choice(...items);
  }

  #readSequence(depth: number): Expression {
    const items: Expression[] = [];
    while (!this.#cursor.isAt(endPattern)) {
      const item = this.#readItem(depth);
      const bounds = this.#readBounds();
      items.push(bounds ? this.#rules.repeated(item, bounds) : item);
      this.#skip();
    }
    return sequence(...items);
  }

  #readItem(depth: number): Expression {
    const cursor = this.#cursor;
    if (cursor.take('(')) return this.#readGroup(')', depth);
    if (cursor.take('[')) return this.#rules.repeated(this.#readGroup(']', depth), { min: 0, max: 1 });
    if (cursor.take('"')) return this.#lexeme(this.#readText());
    const [, pattern, flags] = cursor.takeMatch(/\/((?:\\[^\n]|[^\\/\n])+)\/([a-z]*)/y) ?? [];
    if (pattern !== undefined) return this.#lexeme(this.#pattern(pattern, flags!));
    this.#refuseForeign();
    const name = this.#readName('expected a text, a regular expression, a group or a name');
    const own = refer(this.#rules.named(name));
    if (isTerminal(name)) return this.#lexeme(own);
    if (this.#isInTerminal) throw cursor.fault(`expected no rule in a terminal, got ${quoted(name)}`);
    return own;
  }

  #readGroup(end: string, depth: number): Expression {
    const group = this.#readAlternatives(depth + 1);
    if (!this.#cursor.take(end)) throw this.#cursor.faultHere(`expected ${end}`);
    return group;
  }

  /** A terminal where it stands: in a rule, what is ignored may follow. */
  #lexeme(terminal: Expression): Expression {
    if (this.#isInTerminal || !this.#mayIgnore) return terminal;
    return sequence(terminal, refer(this.#ignored));
  }

  #readText(): Expression {
    const first = this.#readString();
    if (!this.#cursor.takeMatch(/[ \t]*\.\.[ \t]*"/y)) {
      if (!this.#cursor.takeMatch(/i(?!\w)/y)) return text(first);
      return sequence(
        ...Array.from(first, (letter) => this.#character(withOtherCases(codePointsOf(letter)))),
      );
    }
    const [low, high] = [first, this.#readString()].map((bound) => Array.from(bound));
    if (low!.length !== 1 || high!.length !== 1)
      throw this.#cursor.fault('expected ranges of two characters');
    const range = [low![0]!.codePointAt(0)!, high![0]!.codePointAt(0)!] as const;
    if (range[0] > range[1]) throw this.#cursor.fault('expected ranges that ascend');
    return this.#character([range]);
  }

  #readString(): string {
    let content = '';
    while (!this.#cursor.take('"')) {
      if (this.#cursor.isAt(/\n/y)) throw this.#cursor.fault('expected " before the end of the line');
      content += String.fromCodePoint(this.#cursor.takeCharacter('"', escapes));
    }
    return content;
  }

  #readBounds(): Bounds | undefined {
    const cursor = this.#cursor;
    cursor.takeMatch(/[ \t]*(?=[*+?~{])/y);
    if (cursor.isAt(/\{(?!\s*[\d,])/y)) this.#refuseForeign();
    const [times, min, max = min] = cursor.takeMatch(/~[ \t]*(\d{1,9})(?:[ \t]*\.\.[ \t]*(\d{1,9}))?/y) ?? [];
    return times === undefined ? this.#rules.takeBounds() : this.#rules.bounds(Number(min), Number(max));
  }

  #readName(expectation: string): string {
    const [name] = this.#cursor.takeMatch(namePattern) ?? [];
    if (name === undefined) throw this.#cursor.faultHere(`${expectation}, in upper or in lower case`);
    return name;
  }

  #refuseForeign(): void {
    const next = this.#cursor.source[this.#cursor.index] ?? '';
    if (Object.hasOwn(foreign, next)) throw this.#cursor.faultHere(`expected no ${foreign[next]}`);
  }

  #pattern(source: string, flags: string): Expression {
    const [unknown] = /[^imsu]/.exec(flags) ?? [];
    if (unknown !== undefined) throw this.#cursor.fault(`expected flags out of i, m, s, u, got ${unknown}`);
    const pattern = this.#parsed(source, {
      ignoresCase: flags.includes('i'),
      dotMatchesAll: flags.includes('s'),
      allowsLazy: false,
      budget: this.#budget,
    });
    return this.#expression(pattern);
  }

  #parsed(source: string, options: PatternOptions): Pattern {
    try {
      return parsePattern(source, options);
    } catch (error) {
      if (error instanceof RangeError) throw this.#cursor.fault(error.message);
      throw error;
    }
  }

  #expression(pattern: Pattern): Expression {
    switch (pattern.kind) {
      case 'characters':
        return this.#character(pattern.set);
      case 'sequence':
        return sequence(...pattern.items.map((item) => this.#expression(item)));
      case 'alternatives':
        return choice(...pattern.items.map((item) => this.#expression(item)));
      case 'repeat':
        return this.#rules.repeated(this.#expression(pattern.item), pattern);
      case 'start':
      case 'end':
        throw this.#cursor.fault('expected a regular expression without ^ and $');
      case 'look-ahead':
        throw this.#cursor.fault('expected a regular expression without look-around');
    }
  }

  /** A character of a set; surrogates are none. */
  #character(set: CodePointSet): Expression {
    this.#ranges += set.length;
    if (this.#ranges > maxRanges) throw this.#cursor.fault('expected fewer ranges of characters');
    return character(...intersection(set, allCharacters));
  }

  #skip(): void {
    this.#cursor.takeMatch(/(?:\s|(?:#|\/\/)[^\n]*)*/y);
  }
}

function isTerminal(name: string): boolean {
  return /^_*[A-Z]/.test(name);
}

const namePattern = /_*(?:[a-z](?:[a-z\d_]|-(?!>))*|[A-Z](?:[A-Z\d_]|-(?!>))*)(?![A-Za-z])/y;
/** The end of a sequence; a rule begins on a line of its own. */
const endPattern =
  /$(?![^])|[|)\]%]|->|(?<=^[ \t]*)[?!]{0,2}[\w-]+[ \t]*(?:\.-?\d+|\{[^{}\n]*\}|\[[^[\]\n]*\])?[ \t]*:/my;
