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
  failure,
  peek,
  take,
  takeNext,
  type Flags,
  type Part,
  type Reader,
} from './reader.ts';
import { bracketNames, withoutNewer } from './properties.ts';

/** Reads what follows `[`. Intersections bind the weakest. */
function characterClass(reader: Reader, flags: Flags): string {
  if (++reader.depth > deepest) throw failure(reader, 'nested too deeply');
  const negated = take(reader, '^');
  const operands: string[] = [];
  let members = '';
  for (let first = true; first || peek(reader) !== ']'; first = false) {
    if (take(reader, '&&')) {
      operands.push(members);
      members = '';
    } else {
      const item = classItem(reader, flags);
      // Nested classes come first: JavaScriptCore (Bun) rejects a difference of sets after a range.
      members = item.startsWith('[') ? item + members : members + item;
    }
  }
  reader.at++;
  reader.depth--;
  operands.push(members);
  const source = operands.length === 1 ? members : operands.map((operand) => `[${operand}]`).join('&&');
  return `[${negated ? '^' : ''}${source}]`;
}

function classItem(reader: Reader, flags: Flags): string {
  if (take(reader, '[:')) return bracket(reader);
  if (take(reader, '[')) return characterClass(reader, flags);
  const from = classCharacter(reader);
  if (from.set !== undefined) return from.set;
  const isRange =
    peek(reader) === '-' && peek(reader, 1) !== ']' && peek(reader, 1) !== '' && peek(reader, 1) !== '[';
  if (!isRange)
    return flags.ignoreCase ? caseVariants(from.character).map(quote).join('') : quote(from.character);
  reader.at++;
  const to = classCharacter(reader);
  if (to.set !== undefined) return `${quote(from.character)}\\-${to.set}`;
  if (from.character.codePointAt(0)! > to.character.codePointAt(0)!) throw failure(reader, 'empty range');
  const range = `${quote(from.character)}-${quote(to.character)}`;
  return flags.ignoreCase ? range + otherCaseRange(from.character, to.character) : range;
}

/** The other case of a range of ASCII letters. */
function otherCaseRange(from: string, to: string): string {
  if (/^[a-z]{2}$/.test(from + to)) return `${from.toUpperCase()}-${to.toUpperCase()}`;
  return /^[A-Z]{2}$/.test(from + to) ? `${from.toLowerCase()}-${to.toLowerCase()}` : '';
}

function classCharacter(reader: Reader): { set: string } | { set?: undefined; character: string } {
  const character = takeNext(reader);
  if (character !== '\\') return { character };
  return take(reader, 'b') ? { character: '\b' } : classMember(reader);
}

function bracket(reader: Reader): string {
  const negated = take(reader, '^');
  let name = '';
  while (!take(reader, ':]')) name += takeNext(reader);
  const set = bracketNames[name];
  if (set === undefined) throw failure(reader, `unknown class ${JSON.stringify(name)}`);
  return negated ? `[^${withoutNewer(set)}]` : withoutNewer(set);
}

// Source: https://github.com/kkos/oniguruma/blob/master/doc/RE
/**
 * Translates a regular expression of the Oniguruma library (Ruby's syntax), which `tokenizer.json` files use, into JavaScript's
 * with the flag `v`. Possessive quantifiers and atomic groups become a lookahead and a reference to what it captured; `(?i:…)`
 * becomes classes of letters, `^` and `$` stand for lines, as in Ruby.
 */
export function translateOniguruma(pattern: string): string {
  const reader = { characters: [...pattern], at: 0, captures: 0, depth: 0, fault: undefined };
  const whole = readAlternatives(reader, { ignoreCase: false, dotAll: false, extended: false });
  if (reader.at < reader.characters.length) throw failure(reader, 'unmatched )');
  const fault = reader.fault ?? backtrackingFault(whole.alternatives, true);
  if (fault !== undefined)
    throw new Error(`the pattern ${quoteText(pattern)} ${fault}: texts could hold it up for ever`);
  return whole.source;
}

/** Reads up to a closing parenthesis or the end. Flags that are set inside hold up to there. */
function readAlternatives(reader: Reader, outer: Flags): Omit<Part, 'set'> {
  if (++reader.depth > deepest) throw failure(reader, 'nested too deeply');
  const flags = { ...outer };
  const alternatives: Item[][] = [[]];
  let source = '';
  while (reader.at < reader.characters.length && peek(reader) !== ')') {
    if (take(reader, '|')) {
      source += '|';
      alternatives.push([]);
      continue;
    }
    const part = isFlagSwitch(reader) ? switched(reader, flags) : quantified(reader, flags);
    if (!part) continue;
    source += part.source;
    alternatives.at(-1)!.push(part);
  }
  reader.depth--;
  return { source, alternatives };
}

/** Ruby: the flags hold for the rest of the group, its further alternatives included. */
function switched(reader: Reader, flags: Flags): Part & Item {
  readFlags(reader, flags);
  takeNext(reader);
  return once(partOfGroup(readAlternatives(reader, flags)));
}

function partOfGroup({ source, alternatives }: Omit<Part, 'set'>): Part {
  return { source: `(?:${source})`, set: undefined, alternatives };
}

function isFlagSwitch(reader: Reader): boolean {
  if (peek(reader) !== '(' || peek(reader, 1) !== '?') return false;
  let ahead = 2;
  while (/^[imx-]$/.test(peek(reader, ahead))) ahead++;
  return ahead > 2 && peek(reader, ahead) === ')';
}

/** Reads `(?im-x`. */
function readFlags(reader: Reader, flags: Flags): void {
  reader.at += 2;
  for (let on = true; /^[imx-]$/.test(peek(reader));) {
    const flag = takeNext(reader);
    if (flag === '-') on = false;
    else if (flag === 'i') flags.ignoreCase = on;
    else if (flag === 'm') flags.dotAll = on;
    else flags.extended = on;
  }
}

/** @returns nothing for a comment */
function quantified(reader: Reader, flags: Flags): (Part & Item) | undefined {
  if (flags.extended && skipComment(reader)) return undefined;
  let part = once(atom(reader, flags));
  for (;;) {
    const quantifier = readQuantifier(reader);
    if (quantifier === undefined) return part;
    const { text, possessive, min, max } = quantifier;
    const source = (isAssertion(part.source) ? `(?:${part.source})` : part.source) + text;
    const repeated = { ...part, source, min, max };
    if (possessive) part = once(atomic(reader, { source, alternatives: [[repeated]] }));
    // One more quantifier would repeat the repeated.
    else if (/^[*+?{]$/.test(peek(reader))) part = once(partOfGroup({ source, alternatives: [[repeated]] }));
    else part = repeated;
  }
}

function skipComment(reader: Reader): boolean {
  if (/^\s$/.test(peek(reader))) {
    reader.at++;
    return true;
  }
  if (peek(reader) !== '#') return false;
  while (reader.at < reader.characters.length && peek(reader) !== '\n') reader.at++;
  return true;
}

function isAssertion(source: string): boolean {
  return /^\(\?(?:[=!]|<[=!])|^\\b$/i.test(source);
}

function atomic(reader: Reader, { source, alternatives }: Omit<Part, 'set'>): Part {
  reader.fault ??= backtrackingFault(alternatives, false);
  return partOfNone(`(?=(${source}))\\${++reader.captures}(?:)`);
}

function atom(reader: Reader, flags: Flags): Part {
  const character = takeNext(reader);
  switch (character) {
    case '(': {
      const part = group(reader, flags);
      if (!take(reader, ')')) throw failure(reader, 'missing )');
      return part;
    }
    case '[':
      return partOfSet(characterClass(reader, flags));
    case '.':
      return partOfSet(flags.dotAll ? String.raw`[\s\S]` : String.raw`[^\n]`);
    case '^':
      return partOfNone(String.raw`(?<![^\n])`);
    case '$':
      return partOfNone(String.raw`(?![^\n])`);
    case '\\':
      return escape(reader, flags);
    case '*':
    case '+':
    case '?':
      throw failure(reader, 'nothing to repeat');
    default:
      return partOfSet(literal(character, flags));
  }
}

/** Reads a group up to its closing parenthesis. */
function group(reader: Reader, flags: Flags): Part {
  if (!take(reader, '?') || take(reader, ':')) return partOfGroup(readAlternatives(reader, flags));
  if (take(reader, '#')) {
    while (peek(reader) !== ')') takeNext(reader);
    return partOfNone('(?:)');
  }
  if (take(reader, '>')) return atomic(reader, readAlternatives(reader, flags));
  for (const kind of ['=', '!', '<=', '<!']) {
    if (!take(reader, kind)) continue;
    const { source, alternatives } = readAlternatives(reader, flags);
    reader.fault ??= backtrackingFault(alternatives, false);
    return partOfNone(`(?${kind}${source})`);
  }
  if (take(reader, '<')) {
    while (!take(reader, '>')) if (!/^\w$/u.test(takeNext(reader))) throw failure(reader, 'bad group name');
    return partOfGroup(readAlternatives(reader, flags));
  }
  if (!/^[imx-]$/.test(peek(reader))) throw failure(reader, 'unsupported group');
  reader.at -= 2;
  const inner = { ...flags };
  readFlags(reader, inner);
  if (!take(reader, ':')) throw failure(reader, 'unsupported group');
  return partOfGroup(readAlternatives(reader, inner));
}

/** What repeats a part, in JavaScript and as numbers. */
interface Quantifier extends Pick<Item, 'min' | 'max'> {
  readonly text: string;
  readonly possessive: boolean;
}

/** Reads what repeats the part before it. */
function readQuantifier(reader: Reader): Quantifier | undefined {
  const sign = peek(reader);
  if (sign === '*' || sign === '+' || sign === '?') {
    reader.at++;
    const bounds = { min: sign === '+' ? 1 : 0, max: sign === '?' ? 1 : Infinity };
    if (take(reader, '+')) return { ...bounds, text: sign, possessive: true };
    return { ...bounds, text: take(reader, '?') ? `${sign}?` : sign, possessive: false };
  }
  const interval = /^\{(?<least>\d*)(?<comma>,?)(?<most>\d*)\}/.exec(
    reader.characters.slice(reader.at, reader.at + 24).join(''),
  );
  const { least = '', comma = '', most = '' } = interval?.groups ?? {};
  if (!interval || (least === '' && most === '')) return undefined;
  reader.at += interval[0].length;
  const min = Number(least);
  const max = comma === '' ? min : most === '' ? Infinity : Number(most);
  if (min > 100_000 || (max > 100_000 && max !== Infinity)) throw failure(reader, 'too big a number');
  if (min > max) throw failure(reader, 'numbers out of order');
  const text = `{${min}${comma}${most}}`;
  if (!take(reader, '?')) return { text, possessive: false, min, max };
  if (comma === '') return { text: `{0,${min}}`, possessive: false, min: 0, max };
  return { text: `${text}?`, possessive: false, min, max };
}
