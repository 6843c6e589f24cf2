import { codePointsOf, intersection, type CodePointSet } from '../languages/code-points.ts';
import {
  character,
  choice,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Bounds,
  type Expression,
} from '../languages/expression.ts';
import { GrammarReader } from './grammar-reader.ts';
import { allCharacters } from '../languages/language.ts';
import { withOtherCases } from '../languages/other-cases.ts';
import { createPatternBudget, parsePattern, type PatternGrammar } from '../languages/regular-expression.ts';
import { quoted } from '../schemas/keywords.ts';

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
/** Unsupported constructs, by their first character. */
const foreign: Readonly<Record<string, string>> = {
  '{': 'templates',
  '<': 'tokens as <…>',
  '@': 'other grammars as @…',
  '&': 'terminals as A & B',
  '~': 'terminals as ~A',
};

/**
 * Parses a grammar in Lark, the notation of the Python package `lark`: rules in lower case, terminals in upper case,
 * texts, ranges, regular expressions, groups, `[…]`, `|`, `*`, `+`, `?`, `~ n..m`, `%import common.…`, `%ignore`. The
 * start rule is `start`.
 */
export function larkGrammar(grammar: string): Expression {
  return new LarkReader(grammar).read();
}

class LarkReader extends GrammarReader implements PatternGrammar {
  override readonly endOfSequence = endPattern;
  readonly #ignored = rule('ignored');
  readonly #ignores: Expression[] = [];
  readonly #mayIgnore: boolean;
  readonly #budget = createPatternBudget();
  #isInTerminal = false;
  #ranges = 0;

  constructor(source: string) {
    super(source);
    this.#mayIgnore = /^[ \t]*%ignore/m.test(source);
  }

  read(): Expression {
    this.takeMatch(/\s*%llguidance[ \t]*\{\s*\}/y);
    for (this.skip(); !this.isAtEnd; this.skip()) {
      if (this.take('%ignore')) this.#ignores.push(this.#readBody('terminal'));
      else if (this.take('%import')) this.#readImport();
      else if (this.isAt(/%/y)) throw this.faultHere('expected %ignore or %import');
      else this.#readRule();
    }
    this.#ignored.body = repeat(choice(...this.#ignores), { min: 0, max: Infinity });
    return this.finish(startRule, sequence(refer(this.#ignored), refer(this.named(startRule))));
  }

  #readRule(): void {
    this.takeMatch(/[?!]{0,2}/y);
    const name = this.#readName('expected a rule as `name: …`');
    this.takeMatch(/[ \t]*(?:\.-?\d+[ \t]*)?/y);
    if (this.isAt(/\[/y)) throw this.faultHere('expected no attributes of rules');
    this.#refuseForeign();
    if (!this.take(':')) throw this.faultHere('expected :');
    const own = this.write(name);
    own.body = this.#readBody(isTerminal(name) ? 'terminal' : 'rule');
  }

  #readImport(): void {
    if (!this.takeMatch(/[ \t]+common\b/y)) throw this.faultHere('expected %import common.…');
    if (this.takeMatch(/[ \t]*\(/y)) {
      do {
        this.skip();
        this.#import(this.#readName('expected a terminal'));
        this.skip();
      } while (this.take(','));
      if (!this.take(')')) throw this.faultHere('expected )');
      return;
    }
    if (!this.take('.')) throw this.faultHere('expected %import common.…');
    const name = this.#readName('expected a terminal');
    const isRenamed = this.takeMatch(/[ \t]*->[ \t]*/y);
    this.#import(name, isRenamed && this.#readName('expected a terminal'));
  }

  #import(name: string, own = name): void {
    if (!Object.hasOwn(larkTerminals, name)) {
      const known = Object.keys(larkTerminals).join(', ');
      throw this.fault(`expected a terminal of common (${known}), got ${quoted(name)}`);
    }
    if (!isTerminal(own)) throw this.fault(`expected a terminal in upper case, got ${quoted(own)}`);
    this.write(own).body = this.#pattern(larkTerminals[name]!, '');
  }

  #readBody(kind: 'rule' | 'terminal'): Expression {
    this.#isInTerminal = kind === 'terminal';
    return this.readAlternatives(0);
  }

  override readItem(depth: number): Expression {
    if (this.take('(')) return this.readGroup(')', depth);
    if (this.take('[')) return this.repeated(this.readGroup(']', depth), { min: 0, max: 1 });
    if (this.take('"')) return this.#lexeme(this.#readText());
    const [, pattern, flags] = this.takeMatch(/\/((?:\\[^\n]|[^\\/\n])+)\/([a-z]*)/y) ?? [];
    if (pattern !== undefined) return this.#lexeme(this.#pattern(pattern, flags!));
    this.#refuseForeign();
    const name = this.#readName('expected a text, a regular expression, a group or a name');
    const own = refer(this.named(name));
    if (isTerminal(name)) return this.#lexeme(own);
    if (this.#isInTerminal) throw this.fault(`expected no rule in a terminal, got ${quoted(name)}`);
    return own;
  }

  /** A terminal; within a rule, ignored text may follow it. */
  #lexeme(terminal: Expression): Expression {
    if (this.#isInTerminal || !this.#mayIgnore) return terminal;
    return sequence(terminal, refer(this.#ignored));
  }

  #readText(): Expression {
    const first = this.#readString();
    if (!this.takeMatch(/[ \t]*\.\.[ \t]*"/y)) {
      if (!this.takeMatch(/i(?!\w)/y)) return text(first);
      return sequence(
        ...Array.from(first, (letter) => this.characterOf(withOtherCases(codePointsOf(letter)))),
      );
    }
    const [low, high] = [first, this.#readString()].map((bound) => Array.from(bound));
    if (low!.length !== 1 || high!.length !== 1) throw this.fault('expected ranges of two characters');
    const range = [low![0]!.codePointAt(0)!, high![0]!.codePointAt(0)!] as const;
    if (range[0] > range[1]) throw this.fault('expected ranges that ascend');
    return this.characterOf([range]);
  }

  #readString(): string {
    let content = '';
    while (!this.take('"')) {
      if (this.isAt(/\n/y)) throw this.fault('expected " before the end of the line');
      content += String.fromCodePoint(this.takeCodePoint('"', escapes));
    }
    return content;
  }

  override readBounds(): Bounds | undefined {
    this.takeMatch(/[ \t]*(?=[*+?~{])/y);
    if (this.isAt(/\{(?!\s*[\d,])/y)) this.#refuseForeign();
    const [times, min, max = min] = this.takeMatch(/~[ \t]*(\d{1,9})(?:[ \t]*\.\.[ \t]*(\d{1,9}))?/y) ?? [];
    return times === undefined ? this.takeBounds() : this.bounds(Number(min), Number(max));
  }

  #readName(expectation: string): string {
    const [name] = this.takeMatch(namePattern) ?? [];
    if (name === undefined) throw this.faultHere(`${expectation}, in upper or in lower case`);
    return name;
  }

  #refuseForeign(): void {
    const next = this.peek();
    if (Object.hasOwn(foreign, next)) throw this.faultHere(`expected no ${foreign[next]}`);
  }

  #pattern(source: string, flags: string): Expression {
    const [unknown] = /[^imsu]/.exec(flags) ?? [];
    if (unknown !== undefined) throw this.fault(`expected flags out of i, m, s, u, got ${unknown}`);
    return parsePattern(source, {
      ignoresCase: flags.includes('i'),
      dotMatchesAll: flags.includes('s'),
      budget: this.#budget,
      grammar: this,
    }) as Expression;
  }

  /** A character of a set, without surrogates. */
  characterOf(set: CodePointSet): Expression {
    this.#ranges += set.length;
    if (this.#ranges > maxRanges) throw this.fault('expected fewer ranges of characters');
    return character(...intersection(set, allCharacters));
  }

  override takeOr(): boolean {
    if (!this.#isInTerminal) this.takeMatch(/->[ \t]*[\w-]+/y);
    this.skip();
    return this.take('|');
  }

  override skip(): void {
    this.takeMatch(/(?:\s|(?:#|\/\/)[^\n]*)*/y);
  }
}

function isTerminal(name: string): boolean {
  return /^_*[A-Z]/.test(name);
}

const namePattern = /_*(?:[a-z](?:[a-z\d_]|-(?!>))*|[A-Z](?:[A-Z\d_]|-(?!>))*)(?![A-Za-z])/y;
/** The end of a sequence; a rule begins on a new line. */
const endPattern =
  /$(?![^])|[|)\]%]|->|(?<=^[ \t]*)[?!]{0,2}[\w-]+[ \t]*(?:\.-?\d+|\{[^{}\n]*\}|\[[^[\]\n]*\])?[ \t]*:/my;

const integer = '[0-9]+';
const decimal = String.raw`(?:[0-9]+\.[0-9]*|\.[0-9]+)`;
const exponent = '[eE][+-]?[0-9]+';
const float = `(?:${integer}${exponent}|${decimal}(?:${exponent})?)`;
const number = `(?:${float}|${integer})`;
const sign = '[+-]?';

/**
 * Regular expressions of the terminals in Lark's `common` grammar. If Lark matches up to the nearest delimiter, as for
 * comments, they exclude the delimiter from the text before it.
 */
const larkTerminals: Readonly<Record<string, string>> = {
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
