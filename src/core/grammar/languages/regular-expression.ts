import { orElse } from '../../text/or-else.ts';
import { abbreviate } from '../../text/quote.ts';
import type { Bounds, Expression } from './expression.ts';
import { codePointsOf, complement, union, type CodePointSet, codePointsWith } from './code-points.ts';
import { withOtherCases } from './other-cases.ts';
import { TextCursor } from '../../text/text-cursor.ts';

const digits: CodePointSet = [[0x30, 0x39]];
const wordCharacters: CodePointSet = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const lineTerminators = codePointsOf('\n\r\u2028\u2029');
const whiteSpace = union(lineTerminators, codePointsOf('\t\v\f \u00a0\u1680\u202f\u205f\u3000\ufeff'), [
  [0x2000, 0x200a],
]);

const classEscapes: Readonly<Record<string, CodePointSet>> = {
  d: digits,
  D: complement(digits),
  w: wordCharacters,
  W: complement(wordCharacters),
  s: whiteSpace,
  S: complement(whiteSpace),
};
const controlEscapes: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  f: '\f',
  '0': '\0',
};

export const maxRepetitions = 10_000;
const maxDepth = 64;
const maxLength = 20_000;

/** A regular expression as a tree: an expression that may contain anchors and lookaheads. */
export type Pattern =
  | Exclude<Expression, { type: 'sequence' | 'choice' | 'repeat' }>
  | { readonly type: 'sequence' | 'choice'; readonly items: readonly Pattern[] }
  | (Bounds & { readonly type: 'repeat'; readonly item: Pattern })
  | { readonly type: 'start' | 'end' }
  | { readonly type: 'look-ahead'; readonly item: Pattern; readonly isNegative: boolean };

export interface PatternOptions {
  /** Whether case is ignored: the flag `i`. */
  readonly ignoresCase?: boolean;
  /** Whether `.` also matches line breaks: the flag `s`. */
  readonly dotMatchesAll?: boolean;
  /** The budget that this expression shares with the rest of its grammar or schema. */
  readonly budget?: PatternBudget;
  /** The grammar that contains the expression. */
  readonly grammar?: PatternGrammar;
}

/** A grammar with regular expressions in it: anchors, lookarounds and lazy quantifiers are errors. */
export interface PatternGrammar {
  fault(expectation: string): RangeError;
  characterOf(set: CodePointSet): Expression;
  repeated(item: Expression, bounds: Bounds): Expression;
}

export interface PatternBudget {
  /** Number of `\p`: the first use of each property takes some ten milliseconds. */
  properties: number;
}

/** A budget for one regular expression, or for all in a grammar. */
export function createPatternBudget(): PatternBudget {
  return { properties: 8 };
}

/**
 * Parses a regular expression (ECMA-262 with the `u` flag, as JSON Schema's `pattern`; leniently, if it is only valid
 * without the flag): characters, classes, properties, groups, alternatives, quantifiers, anchors, lookaheads.
 */
export function parsePattern(pattern: string, options: PatternOptions = {}): Pattern {
  return new PatternReader(pattern, options).read();
}

/** The texts that a regular expression matches completely; it must not contain anchors or lookarounds. */
export function matching(source: string): Expression {
  return parsePattern(source) as Expression;
}

class PatternReader extends TextCursor {
  readonly #options: PatternOptions;
  readonly #budget: PatternBudget;

  constructor(pattern: string, options: PatternOptions) {
    super(pattern);
    this.#options = options;
    this.#budget = options.budget ?? createPatternBudget();
  }

  read(): Pattern {
    if (Array.from(this.source).length > maxLength)
      throw this.#fault(`expected at most ${maxLength} characters`);
    if (!isRegularExpression(this.source)) throw this.#fault('expected a regular expression');
    return this.#readAlternatives(0);
  }

  #readAlternatives(depth: number): Pattern {
    if (depth > maxDepth) throw this.#fault(`expected at most ${maxDepth} nested groups`);
    const items: Pattern[] = [];
    do items.push(this.#readAlternative(depth));
    while (this.take('|'));
    return items.length === 1 ? items[0]! : { type: 'choice', items };
  }

  #readAlternative(depth: number): Pattern {
    const items: Pattern[] = [];
    while (!this.isAtEnd && this.peek() !== '|' && this.peek() !== ')') {
      const item = this.#readAtom(depth);
      const bounds = this.#readQuantifier();
      items.push(bounds ? this.#repeated(item, bounds) : item);
    }
    return items.length === 1 ? items[0]! : { type: 'sequence', items };
  }

  /** Treats lazy quantifiers as greedy ones, which is right because only the set of matches matters. */
  #repeated(item: Pattern, bounds: Bounds): Pattern {
    if (bounds.min === 1 && bounds.max === 1) return item;
    const { grammar } = this.#options;
    return grammar ? grammar.repeated(item as Expression, bounds) : { type: 'repeat', item, ...bounds };
  }

  #readQuantifier(): Bounds | undefined {
    // Without the `u` flag a brace that isn't a quantifier is a literal.
    const found = this.takeMatch(/(?:([*+?])|\{(\d+)(?:,(\d*))?\})(\??)/y);
    if (!found) return undefined;
    const [, sign, least, most = least, lazy] = found;
    const bounds =
      sign === undefined
        ? { min: Number(least), max: most === '' ? Infinity : Number(most) }
        : { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    if (bounds.min > maxRepetitions || (bounds.max > maxRepetitions && bounds.max !== Infinity))
      throw this.#fault(`expected at most ${maxRepetitions} repetitions`);
    if (lazy !== '' && this.#options.grammar)
      throw this.#fault('expected no lazy quantifier, but a class that leaves out what ends it');
    return bounds;
  }

  #readAtom(depth: number): Pattern {
    const first = this.takeCharacter();
    switch (first) {
      case '(':
        return this.#readGroup(depth);
      case '[':
        return this.#characterOf(this.#readClass());
      case '.':
        return this.#characterOf(complement(this.#options.dotMatchesAll ? [] : lineTerminators));
      case '\\':
        return this.#characterOf(this.#anyCase(this.#readEscape()));
      case '^':
        return this.#anchor({ type: 'start' }, '^ and $');
      case '$':
        return this.#anchor({ type: 'end' }, '^ and $');
      default:
        return this.#characterOf(this.#anyCase(codePointsOf(first)));
    }
  }

  #characterOf(set: CodePointSet): Pattern {
    return this.#options.grammar?.characterOf(set) ?? { type: 'character', ranges: set };
  }

  #anchor(pattern: Pattern, name: string): Pattern {
    if (!this.#options.grammar) return pattern;
    throw this.#options.grammar.fault(`expected a regular expression without ${name}`);
  }

  #readGroup(depth: number): Pattern {
    const [start, look] = this.takeMatch(/(?:\?(?:([=!])|:|<(?![=!])[^>]*>))?/y)!;
    if (start === '' && this.peek() === '?') throw this.#fault('expected no look-around and no modifiers');
    const content = this.#readAlternatives(depth + 1);
    this.index++;
    if (!look) return content;
    return this.#anchor({ type: 'look-ahead', item: content, isNegative: look === '!' }, 'look-around');
  }

  #readClass(): CodePointSet {
    const isNegated = this.take('^');
    const parts: CodePointSet[] = [];
    while (!this.take(']')) {
      this.#refuseDialects();
      if (this.isAtEnd) throw this.#fault('expected a regular expression');
      const low = this.#readClassMember();
      const isSet = low.length !== 1 || low[0]![0] !== low[0]![1];
      if (isSet || this.peek() !== '-' || this.peek(1) === ']') {
        parts.push(low);
        continue;
      }
      this.index++;
      const high = this.#readClassMember();
      const isRange = high.length === 1 && high[0]![0] === high[0]![1];
      // The hyphen in `[a-\d]` is a literal, if the mode allows it.
      if (isRange) parts.push([[low[0]![0], high[0]![0]]]);
      else parts.push(low, high, codePointsOf('-'));
    }
    const set = this.#anyCase(union(...parts));
    return isNegated ? complement(set) : set;
  }

  /** Syntax of different dialects that JavaScript would read literally. */
  #refuseDialects(): void {
    const rest = this.source.slice(this.index, this.index + 12);
    const [posix, name] = /^\[:\^?([a-z]+):\]/.exec(rest) ?? [];
    if (posix !== undefined) {
      const advice = Object.hasOwn(posixClasses, name!) ? `, but ${posixClasses[name!]}` : '';
      throw this.#fault(`expected no ${posix}${advice}`);
    }
    if (rest.startsWith('&&[')) throw this.#fault('expected no && of classes, but a look-ahead');
  }

  #anyCase(set: CodePointSet): CodePointSet {
    return this.#options.ignoresCase ? withOtherCases(set) : set;
  }

  #readClassMember(): CodePointSet {
    const first = this.takeCharacter();
    if (first !== '\\') return codePointsOf(first);
    return this.take('b') ? codePointsOf('\b') : this.#readEscape();
  }

  #readEscape(): CodePointSet {
    const letter = this.takeCharacter();
    const set = classEscapes[letter];
    if (set) return set;
    const control = controlEscapes[letter];
    if (control !== undefined) return codePointsOf(control);
    if (letter === 'x') return this.#readHex(2);
    if (letter === 'u') return this.#readUnicode();
    if (letter === 'p' || letter === 'P') return this.#readProperty(letter === 'P');
    if (letter === 'c') return codePointsOf(String.fromCharCode(this.takeCharacter().charCodeAt(0) % 32));
    if (/[A-Za-z0-9]/.test(letter)) throw this.#fault(`expected no \\${letter}`);
    return codePointsOf(letter);
  }

  #readUnicode(): CodePointSet {
    const [, braced] = this.takeMatch(/\{([^}]*)\}/y) ?? [];
    if (braced !== undefined) return this.#codePoint(braced);
    const [[unit]] = this.#readHex(4) as [[number, number]];
    if (unit < 0xd800 || unit > 0xdfff) return [[unit, unit]];
    if (unit > 0xdbff || !this.takeMatch(/\\u/y)) throw this.#fault('expected pairs of surrogates');
    const [[low]] = this.#readHex(4) as [[number, number]];
    return codePointsOf(String.fromCharCode(unit, low));
  }

  #readProperty(isNegated: boolean): CodePointSet {
    const [, property] = this.takeMatch(/\{([^}]*)\}/y) ?? [];
    const set = property === undefined ? undefined : codePointsWith(property);
    if (!set) throw this.#fault('expected a property of characters after \\p');
    if (--this.#budget.properties < 0)
      throw this.#fault(`expected at most ${createPatternBudget().properties} \\p`);
    return isNegated ? complement(set) : set;
  }

  #readHex(length: 2 | 4): CodePointSet {
    return this.#codePoint(this.takeMatch(length === 2 ? /[^]{0,2}/uy : /[^]{0,4}/uy)![0]);
  }

  #codePoint(hex: string): CodePointSet {
    const codePoint = Number.parseInt(hex, 16);
    if (!(codePoint <= 0x10ffff)) throw this.#fault('expected a regular expression');
    return [[codePoint, codePoint]];
  }

  #fault(expectation: string): RangeError {
    const message = `${expectation}, got ${JSON.stringify(abbreviate(this.source, 80))}`;
    return this.#options.grammar?.fault(message) ?? new RangeError(message);
  }
}

/** POSIX classes, and their replacements inside brackets. */
const posixClasses: Readonly<Record<string, string>> = {
  alpha: 'a-zA-Z or \\p{L}',
  digit: '0-9',
  alnum: 'a-zA-Z0-9 or \\p{L}\\p{N}',
  upper: 'A-Z or \\p{Lu}',
  lower: 'a-z or \\p{Ll}',
  space: '\\s',
  blank: '\\t and a space',
  punct: '\\p{P}\\p{S}',
  xdigit: '0-9a-fA-F',
  word: '\\w',
};

/** Valid with the `u` flag, or at least without it, where only escaped letters have a different meaning. */
function isRegularExpression(pattern: string): boolean {
  return ['u', ''].some((flags) => orElse(() => new RegExp(pattern, flags), undefined));
}
