import { classMember, escape } from './escape.ts';
import {
  caseVariants,
  literal,
  quote,
  deepest,
  failure,
  peek,
  take,
  takeNext,
  type Flags,
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
  const reader = { characters: [...pattern], at: 0, captures: 0, depth: 0 };
  const source = alternatives(reader, { ignoreCase: false, dotAll: false, extended: false });
  if (reader.at < reader.characters.length) throw failure(reader, 'unmatched )');
  return source;
}

/** Reads up to a closing parenthesis or the end. Flags that are set inside hold up to there. */
function alternatives(reader: Reader, outer: Flags): string {
  if (++reader.depth > deepest) throw failure(reader, 'nested too deeply');
  const flags = { ...outer };
  let source = '';
  let open = 0;
  while (reader.at < reader.characters.length && peek(reader) !== ')') {
    if (take(reader, '|')) {
      source += '|';
      continue;
    }
    if (isFlagSwitch(reader)) {
      // Ruby: the flags hold for the rest of the group, its further alternatives included.
      readFlags(reader, flags);
      takeNext(reader);
      source += '(?:';
      open++;
      continue;
    }
    source += quantified(reader, flags);
  }
  reader.depth--;
  return source + ')'.repeat(open);
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

function quantified(reader: Reader, flags: Flags): string {
  if (flags.extended && skipComment(reader)) return '';
  let source = atom(reader, flags);
  for (;;) {
    const quantifier = readQuantifier(reader);
    if (quantifier === undefined) return source;
    if (source === '') throw failure(reader, 'nothing to repeat');
    source = isAssertion(source) ? `(?:${source})${quantifier.text}` : source + quantifier.text;
    if (quantifier.possessive) source = atomic(reader, source);
    // One more quantifier would repeat the repeated.
    else if (/^[*+?{]$/.test(peek(reader))) source = `(?:${source})`;
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

function atomic(reader: Reader, source: string): string {
  return `(?=(${source}))\\${++reader.captures}(?:)`;
}

function atom(reader: Reader, flags: Flags): string {
  const character = takeNext(reader);
  switch (character) {
    case '(':
      return group(reader, flags);
    case '[':
      return characterClass(reader, flags);
    case '.':
      return flags.dotAll ? String.raw`[\s\S]` : String.raw`[^\n]`;
    case '^':
      return String.raw`(?<![^\n])`;
    case '$':
      return String.raw`(?![^\n])`;
    case '\\':
      return escape(reader, flags);
    case '*':
    case '+':
    case '?':
      throw failure(reader, 'nothing to repeat');
    default:
      return literal(character, flags);
  }
}

function group(reader: Reader, flags: Flags): string {
  const close = (source: string): string => {
    if (!take(reader, ')')) throw failure(reader, 'missing )');
    return source;
  };
  if (!take(reader, '?')) return close(`(?:${alternatives(reader, flags)})`);
  if (take(reader, '#')) {
    while (peek(reader) !== ')') takeNext(reader);
    return close('(?:)');
  }
  if (take(reader, '>')) return close(atomic(reader, alternatives(reader, flags)));
  for (const kind of [':', '=', '!', '<=', '<!']) {
    if (take(reader, kind)) return close(`(?${kind}${alternatives(reader, flags)})`);
  }
  if (take(reader, '<')) {
    while (!take(reader, '>')) if (!/^\w$/u.test(takeNext(reader))) throw failure(reader, 'bad group name');
    return close(`(?:${alternatives(reader, flags)})`);
  }
  if (!/^[imx-]$/.test(peek(reader))) throw failure(reader, 'unsupported group');
  reader.at -= 2;
  const inner = { ...flags };
  readFlags(reader, inner);
  if (!take(reader, ':')) throw failure(reader, 'unsupported group');
  return close(`(?:${alternatives(reader, inner)})`);
}

/** Reads what repeats the part before it. */
function readQuantifier(reader: Reader): { text: string; possessive: boolean } | undefined {
  const sign = peek(reader);
  if (sign === '*' || sign === '+' || sign === '?') {
    reader.at++;
    if (take(reader, '+')) return { text: sign, possessive: true };
    return { text: take(reader, '?') ? `${sign}?` : sign, possessive: false };
  }
  const interval = /^\{(?<least>\d*)(?<comma>,?)(?<most>\d*)\}/.exec(
    reader.characters.slice(reader.at, reader.at + 24).join(''),
  );
  const { least = '', comma = '', most = '' } = interval?.groups ?? {};
  if (!interval || (least === '' && most === '')) return undefined;
  reader.at += interval[0].length;
  const lowest = Number(least);
  const highest = comma === '' ? lowest : most === '' ? Infinity : Number(most);
  if (lowest > 100_000 || (highest > 100_000 && highest !== Infinity))
    throw failure(reader, 'too big a number');
  if (lowest > highest) throw failure(reader, 'numbers out of order');
  const text = `{${lowest}${comma}${most}}`;
  if (!take(reader, '?')) return { text, possessive: false };
  return { text: comma === '' ? `{0,${lowest}}` : `${text}?`, possessive: false };
}
