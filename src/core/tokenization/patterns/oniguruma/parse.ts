import { atomic, choice, classOf, look, repeat, sequence, type Repetition } from '../parts.ts';
import type { Part } from '../program.ts';
import { any, classMember, escape, newline } from './escape.ts';
import { bracketNames, withoutNewer } from './properties.ts';
import { caseVariants, maxNesting, literal, quote, Reader } from './reader.ts';

/** Reads a class after `[`. Intersections have the lowest precedence. */
function characterClass(reader: Reader): string {
  if (++reader.depth > maxNesting) throw reader.failure('nested too deeply');
  const negated = reader.take('^');
  const operands: string[] = [];
  let members = '';
  for (let first = true; first || reader.peek() !== ']'; first = false) {
    if (reader.take('&&')) {
      operands.push(members);
      members = '';
    } else {
      const item = classItem(reader);
      // Nested classes must precede ranges: JavaScriptCore (Bun) rejects a difference of sets after a range.
      members = item.startsWith('[') ? item + members : members + item;
    }
  }
  reader.index++;
  reader.depth--;
  operands.push(members);
  const source = operands.length === 1 ? members : operands.map((operand) => `[${operand}]`).join('&&');
  return `[${negated ? '^' : ''}${source}]`;
}

function classItem(reader: Reader): string {
  if (reader.take('[:')) return bracket(reader);
  if (reader.take('[')) return characterClass(reader);
  const from = classCharacter(reader);
  if (from.set !== undefined) return from.set;
  if (!reader.isAt(/-[^[\]]/y)) return caseVariants(from.character, reader).map(quote).join('');
  reader.index++;
  const to = classCharacter(reader);
  if (to.set !== undefined) return `${quote(from.character)}\\-${to.set}`;
  if (from.character.codePointAt(0)! > to.character.codePointAt(0)!) throw reader.failure('empty range');
  const range = `${quote(from.character)}-${quote(to.character)}`;
  return reader.flags.includes('i') ? range + otherCaseRange(from.character, to.character) : range;
}

/** The same range of ASCII letters in the opposite case. */
function otherCaseRange(from: string, to: string): string {
  if (/^[a-z]{2}$/.test(from + to)) return `${from.toUpperCase()}-${to.toUpperCase()}`;
  return /^[A-Z]{2}$/.test(from + to) ? `${from.toLowerCase()}-${to.toLowerCase()}` : '';
}

function classCharacter(reader: Reader): { set: string } | { set?: undefined; character: string } {
  const character = reader.next();
  if (character !== '\\') return { character };
  return reader.take('b') ? { character: '\b' } : classMember(reader);
}

function bracket(reader: Reader): string {
  const negated = reader.take('^');
  let name = '';
  while (!reader.take(':]')) name += reader.next();
  const set = bracketNames[name];
  if (set === undefined) throw reader.failure(`unknown class ${JSON.stringify(name)}`);
  return negated ? `[^${withoutNewer(set)}]` : withoutNewer(set);
}

// Source: https://github.com/kkos/oniguruma/blob/master/doc/RE
/**
 * Parses a regular expression of the Oniguruma library (Ruby's syntax), which `tokenizer.json` files use. `(?i:…)`
 * becomes classes of letters; `^` and `$` match at lines, as in Ruby.
 */
export function parseOniguruma(pattern: string): Part {
  const reader = new Reader(pattern);
  const whole = readAlternatives(reader);
  if (!reader.isAtEnd) throw reader.failure('unmatched )');
  return whole;
}

/** Reads up to a closing parenthesis or the end. */
function readAlternatives(reader: Reader): Part {
  if (++reader.depth > maxNesting) throw reader.failure('nested too deeply');
  const branches: Part[][] = [[]];
  while (!reader.isAtEnd && reader.peek() !== ')') {
    if (reader.take('|')) branches.push([]);
    else branches.at(-1)!.push(reader.isAt(/\(\?[imx-]+\)/y) ? switched(reader) : quantified(reader));
  }
  reader.depth--;
  return choice(...branches.map((parts) => sequence(...parts)));
}

/** As in Ruby, the flags apply to the rest of the group, including further alternatives. */
function switched(reader: Reader): Part {
  readFlags(reader);
  reader.next();
  return readAlternatives(reader);
}

/** Reads `(?im-x`; the flags apply up to the end of the enclosing group. */
function readFlags(reader: Reader): void {
  const [, on = '', off = ''] = reader.takeMatch(/\(\?([imx]*)([imx-]*)/y) ?? [];
  reader.flags = Array.from(reader.flags + on)
    .filter((flag) => !off.includes(flag))
    .join('');
}

function quantified(reader: Reader): Part {
  if (reader.flags.includes('x') && reader.takeMatch(/\s|#[^\n]*/y)) return sequence();
  let part = atom(reader);
  for (;;) {
    const quantifier = readQuantifier(reader);
    if (quantifier === undefined) return part;
    if (quantifier.max === Infinity && part.mayBeEmpty)
      throw reader.failure('a part that may be empty repeats without end');
    part = repeat(part, quantifier);
  }
}

function atom(reader: Reader): Part {
  const character = reader.next();
  switch (character) {
    case '(': {
      const { flags } = reader;
      const part = group(reader);
      reader.flags = flags;
      if (!reader.take(')')) throw reader.failure('missing )');
      return part;
    }
    case '[':
      return classOf(characterClass(reader));
    case '.':
      return reader.flags.includes('m') ? any : inLine;
    case '^':
      return lineStart;
    case '$':
      return look(inLine, '!');
    case '\\':
      return escape(reader);
    case '*':
    case '+':
    case '?':
      throw reader.failure('nothing to repeat');
    default:
      return classOf(literal(character, reader));
  }
}

const inLine = classOf(String.raw`[^\n]`);
/** No line begins after a final line break. */
const lineStart = choice(look(any, '<!'), sequence(look(newline, '<='), look(any, '=')));

/** Reads a group up to its closing parenthesis. */
function group(reader: Reader): Part {
  if (!reader.take('?') || reader.take(':')) return readAlternatives(reader);
  if (reader.take('#')) {
    while (reader.peek() !== ')') reader.next();
    return sequence();
  }
  if (reader.take('>')) return atomic(readAlternatives(reader));
  for (const sign of ['=', '!', '<=', '<!'] as const)
    if (reader.take(sign)) return look(readAlternatives(reader), sign);
  if (reader.take('<')) {
    while (!reader.take('>')) if (!/^\w$/u.test(reader.next())) throw reader.failure('bad group name');
    return readAlternatives(reader);
  }
  if (!/^[imx-]$/.test(reader.peek())) throw reader.failure('unsupported group');
  reader.index -= 2;
  readFlags(reader);
  if (!reader.take(':')) throw reader.failure('unsupported group');
  return readAlternatives(reader);
}

function readQuantifier(reader: Reader): Repetition | undefined {
  const found = reader.takeMatch(/([*+?])([+?]?)|\{(?=[\d,]{1,22}\})(?=,?\d)(\d*)(,?)(\d*)\}(\??)/y);
  if (!found) return undefined;
  const [, sign, suffix, least, comma, most, lazy] = found;
  if (sign !== undefined) {
    const mode = suffix === '+' ? 'possessive' : suffix === '?' ? 'lazy' : 'greedy';
    return { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity, mode };
  }
  const min = Number(least);
  const max = comma === '' ? min : most === '' ? Infinity : Number(most);
  if (min > 100_000 || (max > 100_000 && max !== Infinity)) throw reader.failure('too big a number');
  if (min > max) throw reader.failure('numbers out of order');
  if (lazy === '') return { min, max, mode: 'greedy' };
  return comma === '' ? { min: 0, max: min, mode: 'greedy' } : { min, max, mode: 'lazy' };
}
