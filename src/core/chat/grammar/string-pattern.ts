import {
  allCodePoints,
  codePointsOf,
  complement,
  contains,
  intersection,
  union,
  type CodePointSet,
} from './code-points.ts';
import { choice, empty, repeat, sequence, text, type Expression } from './expression.ts';
import { plainCharacters } from './json-text.ts';

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

const maxRepetitions = 10_000;
const maxDepth = 64;

/**
 * The inside of a JSON string whose value matches a regular expression (ECMA-262 with the `u` flag, as JSON Schema's
 * `pattern`): characters, classes, groups, alternatives, quantifiers, and `^` and `$` at the ends of alternatives. A
 * pattern without them matches anywhere.
 *
 * @throws RangeError naming the construct that can't be honoured, or saying that the pattern is malformed
 *
 * @example
 * ```ts
 * stringMatching('^[A-Z]{2}\\d+$'); // AB1, XY20, …
 * ```
 */
export function stringMatching(pattern: string): Expression {
  return new PatternReader(pattern).read();
}

class PatternReader {
  readonly #pattern: string;
  readonly #characters: readonly string[];
  #index = 0;

  constructor(pattern: string) {
    this.#pattern = pattern;
    this.#characters = Array.from(pattern);
  }

  read(): Expression {
    if (!isRegularExpression(this.#pattern)) throw this.#fault('expected a regular expression');
    return this.#readAlternatives(0, true);
  }

  #readAlternatives(depth: number, outermost: boolean): Expression {
    if (depth > maxDepth) throw this.#fault(`expected at most ${maxDepth} nested groups`);
    const branches: Expression[] = [];
    do branches.push(this.#readAlternative(depth, outermost));
    while (this.#take('|'));
    return choice(...branches);
  }

  #readAlternative(depth: number, outermost: boolean): Expression {
    const items: Expression[] = [];
    const startsAnchored = outermost && this.#take('^');
    let endsAnchored = false;
    while (this.#index < this.#characters.length && this.#peek() !== '|' && this.#peek() !== ')') {
      if (outermost && this.#take('$')) {
        endsAnchored = true;
        if (this.#index < this.#characters.length && this.#peek() !== '|')
          throw this.#fault('expected `$` only at the end');
      } else {
        items.push(this.#readQuantified(depth));
      }
    }
    if (!outermost) return sequence(...items);
    return sequence(startsAnchored ? empty : anything, ...items, endsAnchored ? empty : anything);
  }

  #readQuantified(depth: number): Expression {
    const atom = this.#readAtom(depth);
    const bounds = this.#readQuantifier();
    return bounds ? repeat(atom, bounds) : atom;
  }

  #readQuantifier(): { min: number; max: number } | undefined {
    let bounds: { min: number; max: number } | undefined;
    if (this.#take('*')) bounds = { min: 0, max: Infinity };
    else if (this.#take('+')) bounds = { min: 1, max: Infinity };
    else if (this.#take('?')) bounds = { min: 0, max: 1 };
    else if (this.#take('{')) {
      const end = this.#characters.indexOf('}', this.#index);
      const [min, max = min] = this.#characters.slice(this.#index, end).join('').split(',');
      this.#index = end + 1;
      bounds = { min: Number(min), max: max === '' ? Infinity : Number(max) };
      if (bounds.min > maxRepetitions || (bounds.max > maxRepetitions && bounds.max !== Infinity)) {
        throw this.#fault(`expected at most ${maxRepetitions} repetitions`);
      }
    }
    if (bounds) this.#take('?');
    return bounds;
  }

  #readAtom(depth: number): Expression {
    const first = this.#next();
    switch (first) {
      case '(':
        return this.#readGroup(depth);
      case '[':
        return characterOf(this.#readClass());
      case '.':
        return characterOf(complement(lineTerminators));
      case '\\':
        return characterOf(this.#readEscape());
      case '^':
      case '$':
        throw this.#fault(`expected \`${first}\` only at the ends`);
      default:
        return characterOf(codePointsOf(first));
    }
  }

  #readGroup(depth: number): Expression {
    if (this.#take('?')) {
      if (this.#take('<') && this.#peek() !== '=' && this.#peek() !== '!') {
        while (this.#next() !== '>');
      } else if (!this.#take(':')) {
        throw this.#fault('expected no look-around and no modifiers');
      }
    }
    const content = this.#readAlternatives(depth + 1, false);
    this.#index++;
    return content;
  }

  #readClass(): CodePointSet {
    const isNegated = this.#take('^');
    const parts: CodePointSet[] = [];
    while (!this.#take(']')) {
      const low = this.#readClassMember();
      if (this.#peek() !== '-' || this.#characters[this.#index + 1] === ']') {
        parts.push(low);
        continue;
      }
      this.#index++;
      const high = this.#readClassMember();
      parts.push([[low[0]![0], high.at(-1)![1]]]);
    }
    const set = union(...parts);
    return isNegated ? complement(set) : set;
  }

  #readClassMember(): CodePointSet {
    const first = this.#next();
    if (first !== '\\') return codePointsOf(first);
    return this.#take('b') ? codePointsOf('\b') : this.#readEscape();
  }

  #readEscape(): CodePointSet {
    const letter = this.#next();
    const set = classEscapes[letter];
    if (set) return set;
    const control = controlEscapes[letter];
    if (control !== undefined) return codePointsOf(control);
    if (letter === 'x') return this.#readHex(2);
    if (letter === 'u') return this.#readUnicode();
    if (letter === 'c') return codePointsOf(String.fromCharCode(this.#next().charCodeAt(0) % 32));
    if (/[A-Za-z0-9]/.test(letter)) throw this.#fault(`expected no \\${letter}`);
    return codePointsOf(letter);
  }

  #readUnicode(): CodePointSet {
    if (this.#take('{')) {
      const end = this.#characters.indexOf('}', this.#index);
      const set = this.#readHex(end - this.#index);
      this.#index++;
      return set;
    }
    const [[unit]] = this.#readHex(4) as [[number, number]];
    if (unit < 0xd800 || unit > 0xdfff) return [[unit, unit]];
    if (unit > 0xdbff || this.#next() !== '\\' || !this.#take('u'))
      throw this.#fault('expected pairs of surrogates');
    const [[low]] = this.#readHex(4) as [[number, number]];
    return codePointsOf(String.fromCharCode(unit, low));
  }

  #readHex(length: number): CodePointSet {
    const codePoint = Number.parseInt(this.#characters.slice(this.#index, this.#index + length).join(''), 16);
    this.#index += length;
    return [[codePoint, codePoint]];
  }

  #peek(): string | undefined {
    return this.#characters[this.#index];
  }

  #next(): string {
    return this.#characters[this.#index++] ?? '';
  }

  #take(character: string): boolean {
    if (this.#peek() !== character) return false;
    this.#index++;
    return true;
  }

  #fault(expectation: string): RangeError {
    const shown = this.#pattern.length > 80 ? `${this.#pattern.slice(0, 80)}…` : this.#pattern;
    return new RangeError(`${expectation}, got ${JSON.stringify(shown)}`);
  }
}

function isRegularExpression(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp;
  } catch {
    return false;
  }
}

const escapes = new Map<number, string>(
  ['"', '\\', '\b', '\f', '\n', '\r', '\t'].map((character) => [
    character.charCodeAt(0),
    JSON.stringify(character).slice(1, -1),
  ]),
);
for (let control = 0; control < 0x20; control++) {
  if (!escapes.has(control)) escapes.set(control, `\\u${control.toString(16).padStart(4, '0')}`);
}

/** One character of a set as it is written in a JSON string. */
function characterOf(set: CodePointSet): Expression {
  const written = [...escapes].filter(([codePoint]) => contains(set, codePoint)).map(([, escape]) => escape);
  const plain: Expression = { type: 'character', ranges: intersection(set, plainCharacters) };
  return written.length === 0 ? plain : choice(plain, text(...written));
}

const anything = repeat(characterOf(allCodePoints), { min: 0, max: Infinity });
