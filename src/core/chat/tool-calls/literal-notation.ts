import {
  choice,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
} from '../../grammar/languages/expression.ts';
import { anyString, escapedCharacter, unlimited } from '../../grammar/languages/json-text.ts';
import { matching } from '../../grammar/languages/regular-expression.ts';
import {
  anyStringOf,
  containing,
  jsonString,
  literalNotation,
  namesOf,
  rawString,
  type Notation,
  type StringSet,
} from '../../grammar/schemas/notation.ts';
import type { TextLanguages } from '../../grammar/schemas/texts.ts';
import { toPython, writeBareKey, writeMarked } from './write-values.ts';

const singleCharacter = choice(matching(String.raw`[^\0-\x1f'\\]|\\'`), escapedCharacter);
const singleQuoted = sequence(text("'"), repeat(singleCharacter, unlimited), text("'"));
const anyPythonString = refer(rule('string', choice(anyString, singleQuoted)));

/** Literals of Python; strings have the escapes that JSON has, too. */
export const pythonNotation: Notation = {
  ...literalNotation({
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
  }),
  constants: (values) => text(...values.flatMap((value) => [toPython(value), ...inSingleQuotes(value)])),
  ofMember: () => pythonNotation,
  ofItem: () => pythonNotation,
};

function inSingleQuotes(value: unknown): string[] {
  return typeof value === 'string' && /^[^'"\\\p{Cc}]*$/u.test(value) ? [`'${value}'`] : [];
}

/** Literals with bare keys, and strings without escapes between marks of their own. */
export function markedNotation(mark: string, texts: TextLanguages): Notation {
  const string = (strings: StringSet): Expression =>
    sequence(text(mark), rawString(strings, [containing(mark, texts)]), text(mark));
  return literalNotation({
    id: 'marked',
    anyString: refer(rule('string', string(anyStringOf(texts)))),
    key: {
      any: matching('[\\w-]{1,64}'),
      write: writeBareKey,
      of: (names, _, path) => namesOf(names, '^[A-Za-z0-9_-]{1,64}$', texts, path),
    },
    write: (value) => writeMarked(value, mark),
    string,
  });
}
