import { classMember } from './escape.ts';
import { caseVariants, quote } from './literal.ts';
import { bracketNames, withoutNewer } from './properties.ts';
import { deepest, failure, peek, take, takeNext, type Flags, type Reader } from './reader.ts';

/** Reads what follows `[`. Intersections bind the weakest. */
export function characterClass(reader: Reader, flags: Flags): string {
  if (++reader.depth > deepest) throw failure(reader, 'nested too deeply');
  const negated = take(reader, '^');
  const operands: string[] = [];
  let members = '';
  for (let first = true; first || peek(reader) !== ']'; first = false) {
    if (take(reader, '&&')) {
      operands.push(members);
      members = '';
    } else {
      members += classItem(reader, flags);
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
