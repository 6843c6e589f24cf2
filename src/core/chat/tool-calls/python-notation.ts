import {
  character,
  choice,
  never,
  refer,
  repeat,
  rule,
  sequence,
  text,
} from '../../grammar/languages/expression.ts';
import { anyString, escapedCharacter, unlimited } from '../../grammar/languages/json-text.ts';
import {
  jsonString,
  literalNotation,
  namesOf,
  type ArgumentsNotation,
  type Notation,
} from '../../grammar/schemas/notation.ts';
import type { CallFrame } from './format.ts';
import { isKeyword } from './python-calls.ts';
import { toPython } from './write-calls.ts';

const singleCharacter = choice(
  character([0x20, 0x26], [0x28, 0x5b], [0x5d, 0xd7ff], [0xe000, 0x10ffff]),
  escapedCharacter,
  text("\\'"),
);
const singleQuoted = sequence(text("'"), repeat(singleCharacter, unlimited), text("'"));
const anyPythonString = refer(rule('string', choice(anyString, singleQuoted)));

/** Literals of Python; strings have the escapes that JSON has, too. */
const doubleQuoted = literalNotation({
  id: 'python',
  anyString: anyPythonString,
  write: toPython,
  string(strings) {
    const { language, min, max } = strings;
    if (language) return jsonString(strings);
    return min === 0 && max === Infinity
      ? anyPythonString
      : choice(jsonString(strings), sequence(text("'"), repeat(singleCharacter, { min, max }), text("'")));
  },
});

const pythonNotation: Notation = {
  ...doubleQuoted,
  constants: (values) => text(...values.flatMap((value) => [toPython(value), ...inSingleQuotes(value)])),
  ofMember: () => pythonNotation,
  ofItem: () => pythonNotation,
};

function inSingleQuotes(value: unknown): string[] {
  return typeof value === 'string' && /^[^'"\\\p{Cc}]*$/u.test(value) ? [`'${value}'`] : [];
}

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
