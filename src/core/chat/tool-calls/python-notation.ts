import { character, choice, never, refer, repeat, rule, sequence, text } from '../grammar/expression.ts';
import { anyString, escapedCharacter, unlimited } from '../grammar/json-text.ts';
import {
  jsonString,
  literalNotation,
  namesOf,
  type ArgumentsNotation,
  type Notation,
} from '../grammar/notation.ts';
import type { CallFrame } from './format.ts';
import { isKeyword } from './python-calls.ts';
import { toPython } from './write-calls.ts';

const singleQuoted = sequence(
  text("'"),
  repeat(
    choice(
      character([0x20, 0x26], [0x28, 0x5b], [0x5d, 0xd7ff], [0xe000, 0x10ffff]),
      escapedCharacter,
      text("\\'"),
    ),
    unlimited,
  ),
  text("'"),
);
const anyPythonString = refer(rule('string', choice(anyString, singleQuoted)));

/** Literals of Python; strings have the escapes that JSON has, too. */
const pythonNotation = literalNotation({
  id: 'python',
  anyString: anyPythonString,
  write: toPython,
  string(strings) {
    const isAny = !strings.language && strings.min === 0 && strings.max === Infinity;
    return isAny ? anyPythonString : jsonString(strings);
  },
});

const argumentsNotation: Notation = {
  ...pythonNotation,
  id: 'arguments',
  anyMember: undefined,
  anyObject: undefined,
  constants: () => never,
  object: (content) => content,
  member: (name, value) =>
    isKeyword(name) ? refer(rule(name, sequence(text(`${name}=`), value))) : undefined,
  members(names, value, texts, path) {
    const written = namesOf(names, '^[A-Za-z_][A-Za-z0-9_]{0,63}$', texts, path);
    return written && refer(rule('other', sequence(written, text('='), value)));
  },
};

/** Keyword arguments, as between the parentheses of a call. */
export const pythonArguments = (): ArgumentsNotation => () => argumentsNotation;

/** `name(…)` */
export function pythonCallFrame(name: string): CallFrame {
  return { prefix: `${name}(`, suffix: ')' };
}
