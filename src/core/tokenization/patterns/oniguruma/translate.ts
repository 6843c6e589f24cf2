import { quote as quoteText } from '../../../text/quote.ts';
import { backtrackingFault, type Item } from '../backtracking.ts';
import { classMember, escape } from './escape.ts';
import {
  caseVariants,
  literal,
  once,
  partOfNone,
  partOfSet,
  quote,
  deepest,
  type Part,
  Reader,
} from './reader.ts';
import { bracketNames, withoutNewer } from './properties.ts';

/** Reads what follows `[`. Intersections bind the weakest. */
function characterClass(reader: Reader): string {
  if (++reader.depth > deepest) throw reader.failure('nested too deeply');
  const negated = reader.take('^');
  const operands: string[] = [];
  let members = '';
  for (let first = true; first || reader.peek() !== ']'; first = false) {
    if (reader.take('&&')) {
      operands.push(members);
      members = '';
    } else {
      const item = classItem(reader);
      // Nested classes come first: JavaScriptCore (Bun) rejects a difference of sets after a range.
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

/** The other case of a range of ASCII letters. */
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
 * Translates a regular expression of the Oniguruma library (Ruby's syntax), which `tokenizer.json` files use, into JavaScript's
 * with the flag `v`. Possessive quantifiers and atomic groups become a lookahead and a reference to what it captured; `(?i:…)`
 * becomes classes of letters, `^` and `$` stand for lines, as in Ruby.
 */
export function translateOniguruma(pattern: string): string {
  const reader = new Reader(pattern);
  const whole = readAlternatives(reader);
  if (!reader.isAtEnd) throw reader.failure('unmatched )');
  const fault = reader.fault ?? backtrackingFault(whole.alternatives, true);
  if (fault !== undefined)
    throw new Error(`the pattern ${quoteText(pattern)} ${fault}: texts could hold it up for ever`);
  return whole.source;
}

/** Reads up to a closing parenthesis or the end. */
function readAlternatives(reader: Reader): Omit<Part, 'set'> {
  if (++reader.depth > deepest) throw reader.failure('nested too deeply');
  const alternatives: Item[][] = [[]];
  let source = '';
  while (!reader.isAtEnd && reader.peek() !== ')') {
    if (reader.take('|')) {
      source += '|';
      alternatives.push([]);
      continue;
    }
    const part = reader.isAt(/\(\?[imx-]+\)/y) ? switched(reader) : quantified(reader);
    if (!part) continue;
    source += part.source;
    alternatives.at(-1)!.push(part);
  }
  reader.depth--;
  return { source, alternatives };
}

/** Ruby: the flags hold for the rest of the group, its further alternatives included. */
function switched(reader: Reader): Part & Item {
  readFlags(reader);
  reader.next();
  return once(partOfGroup(readAlternatives(reader)));
}

function partOfGroup({ source, alternatives }: Omit<Part, 'set'>): Part {
  return { source: `(?:${source})`, set: undefined, alternatives };
}

/** Reads `(?im-x`; what it switches holds up to the end of the group around. */
function readFlags(reader: Reader): void {
  const [, on = '', off = ''] = reader.takeMatch(/\(\?([imx]*)([imx-]*)/y) ?? [];
  reader.flags = Array.from(reader.flags + on)
    .filter((flag) => !off.includes(flag))
    .join('');
}

/** @returns nothing for a comment */
function quantified(reader: Reader): (Part & Item) | undefined {
  if (reader.flags.includes('x') && reader.takeMatch(/\s|#[^\n]*/y)) return undefined;
  let part = once(atom(reader));
  for (;;) {
    const quantifier = readQuantifier(reader);
    if (quantifier === undefined) return part;
    const { text, possessive, min, max } = quantifier;
    const source = (isAssertion(part.source) ? `(?:${part.source})` : part.source) + text;
    const repeated = { ...part, source, min, max };
    if (possessive) part = once(atomic(reader, { source, alternatives: [[repeated]] }));
    // One more quantifier would repeat the repeated.
    else if (/^[*+?{]$/.test(reader.peek())) part = once(partOfGroup({ source, alternatives: [[repeated]] }));
    else part = repeated;
  }
}

function isAssertion(source: string): boolean {
  return /^\(\?(?:[=!]|<[=!])|^\\b$/i.test(source);
}

function atomic(reader: Reader, { source, alternatives }: Omit<Part, 'set'>): Part {
  reader.fault ??= backtrackingFault(alternatives, false);
  return partOfNone(`(?=(${source}))\\${++reader.captures}(?:)`);
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
      return partOfSet(characterClass(reader));
    case '.':
      return partOfSet(reader.flags.includes('m') ? String.raw`[\s\S]` : String.raw`[^\n]`);
    case '^':
      return partOfNone(String.raw`(?<![^\n])`);
    case '$':
      return partOfNone(String.raw`(?![^\n])`);
    case '\\':
      return escape(reader);
    case '*':
    case '+':
    case '?':
      throw reader.failure('nothing to repeat');
    default:
      return partOfSet(literal(character, reader));
  }
}

/** Reads a group up to its closing parenthesis. */
function group(reader: Reader): Part {
  if (!reader.take('?') || reader.take(':')) return partOfGroup(readAlternatives(reader));
  if (reader.take('#')) {
    while (reader.peek() !== ')') reader.next();
    return partOfNone('(?:)');
  }
  if (reader.take('>')) return atomic(reader, readAlternatives(reader));
  for (const kind of ['=', '!', '<=', '<!']) {
    if (!reader.take(kind)) continue;
    const { source, alternatives } = readAlternatives(reader);
    reader.fault ??= backtrackingFault(alternatives, false);
    return partOfNone(`(?${kind}${source})`);
  }
  if (reader.take('<')) {
    while (!reader.take('>')) if (!/^\w$/u.test(reader.next())) throw reader.failure('bad group name');
    return partOfGroup(readAlternatives(reader));
  }
  if (!/^[imx-]$/.test(reader.peek())) throw reader.failure('unsupported group');
  reader.index -= 2;
  readFlags(reader);
  if (!reader.take(':')) throw reader.failure('unsupported group');
  return partOfGroup(readAlternatives(reader));
}

/** The repetition of a part, in JavaScript and as numbers. */
interface Quantifier extends Pick<Item, 'min' | 'max'> {
  readonly text: string;
  readonly possessive: boolean;
}

/** Reads what repeats the part before it. */
function readQuantifier(reader: Reader): Quantifier | undefined {
  const found = reader.takeMatch(/([*+?])([+?]?)|\{(?=[\d,]{1,22}\})(?=,?\d)(\d*)(,?)(\d*)\}(\??)/y);
  if (!found) return undefined;
  const [, sign, mode, least, comma, most, lazy] = found;
  if (sign !== undefined) {
    const text = mode === '?' ? `${sign}?` : sign;
    return { text, possessive: mode === '+', min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
  }
  const min = Number(least);
  const max = comma === '' ? min : most === '' ? Infinity : Number(most);
  if (min > 100_000 || (max > 100_000 && max !== Infinity)) throw reader.failure('too big a number');
  if (min > max) throw reader.failure('numbers out of order');
  const text = `{${min}${comma}${most}}`;
  if (lazy === '') return { text, possessive: false, min, max };
  if (comma === '') return { text: `{0,${min}}`, possessive: false, min: 0, max };
  return { text: `${text}?`, possessive: false, min, max };
}
