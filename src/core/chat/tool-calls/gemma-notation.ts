import {
  character,
  refer,
  repeat,
  rule,
  sequence,
  text,
  type Expression,
} from '../../grammar/languages/expression.ts';
import {
  anyStringOf,
  containing,
  literalNotation,
  namesOf,
  rawString,
  type ArgumentsNotation,
  type StringSet,
} from '../../grammar/schemas/notation.ts';

const bareKey = /^[^\s:,{}[\]"<>|]+$/;
const anyBareKey = repeat(character([0x2d, 0x2d], [0x30, 0x39], [0x41, 0x5a], [0x5f, 0x5f], [0x61, 0x7a]), {
  min: 1,
  max: 64,
});

/** Literals with bare keys, and strings without escapes between marks of their own. */
export function gemmaArguments(quote: string): () => ArgumentsNotation {
  const writeKey = (name: string): string => (bareKey.test(name) ? name : JSON.stringify(name));
  return () => (texts) => {
    const string = (strings: StringSet): Expression =>
      sequence(text(quote), rawString(strings, [containing(quote, texts)]), text(quote));
    return literalNotation({
      id: 'gemma',
      anyString: refer(rule('string', string(anyStringOf(texts)))),
      key: {
        any: anyBareKey,
        write: writeKey,
        of: (names, _, path) => namesOf(names, '^[A-Za-z0-9_-]{1,64}$', texts, path),
      },
      write: (value) => writeGemma(value, quote, writeKey),
      string,
    });
  };
}

/** A string that holds the mark is written as JSON has it. */
export function writeGemma(value: unknown, quote: string, writeKey = (name: string) => name): string {
  const inner = (item: unknown): string => writeGemma(item, quote, writeKey);
  if (typeof value === 'string') return value.includes(quote) ? JSON.stringify(value) : quote + value + quote;
  if (Array.isArray(value)) return `[${value.map(inner).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(([key, item]) => `${writeKey(key)}:${inner(item)}`);
  return `{${members.join(',')}}`;
}
