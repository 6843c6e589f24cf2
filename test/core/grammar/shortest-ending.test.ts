import { Validator, type Schema } from '@cfworker/json-schema';
import { describe, expect, it, test } from 'vitest';
import type { GrammarMatcher } from '../../../src/core/grammar/engine/matcher.ts';
import { hermesFormat } from '../../../src/core/chat/tool-calls/rows.ts';
import { createRng } from '../../../src/core/sampling/rng.ts';
import { schemas } from './schemas.ts';
import { allowedTokens, jsonPieces, toyVocabulary } from './walk.ts';
import { answerGrammar, compileGrammar, jsonSchemaGrammar } from './all-at-once.ts';

const vocabulary = toyVocabulary(...jsonPieces);
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(tokens: readonly number[]): string {
  return decoder.decode(Uint8Array.from(tokens.flatMap((token) => [...(vocabulary.bytesOf(token) ?? [])])));
}

/** Writes random tokens for which there is room, as long as there are any. */
function writeWithin(matcher: GrammarMatcher, most: number, seed: number): number[] {
  const rng = createRng(seed);
  const written: number[] = [];
  while (written.length < most) {
    const allowed = allowedTokens(matcher.mask()).filter((token) => !vocabulary.endTokens.has(token));
    const token = allowed[Math.floor(rng.next() * allowed.length)];
    if (token === undefined || !matcher.endsWithin(most - written.length - 1, token)) break;
    matcher.accept(token);
    written.push(token);
  }
  return written;
}

describe('an ending', () => {
  const known = Object.entries(schemas).filter(([, schema]) => {
    const matcher = compileGrammar(jsonSchemaGrammar(schema), vocabulary).createMatcher();
    return matcher.ending() !== undefined;
  });

  it('is known for all schemas whose strings the vocabulary of the test can write', () => {
    const unknown = Object.keys(schemas).filter((name) => known.every(([other]) => other !== name));
    expect(unknown).toEqual(['pattern of any text', 'pattern of classes']);
  });

  it.each(known)('completes what was written, within the limit: %s', (name, schema) => {
    const grammar = compileGrammar(jsonSchemaGrammar(schema), vocabulary);
    // A double prints fewer digits than a walk writes, and the validator takes those that it prints.
    const validator = new Validator(name === 'multiples of 0.25' ? {} : (schema as Schema), '2020-12');
    const least = grammar.createMatcher().ending()!.length;
    for (let seed = 0; seed < 12; seed++) {
      const matcher = grammar.createMatcher();
      const most = least + seed * 4;
      const written = writeWithin(matcher, most, seed);
      const ending = matcher.ending()!;
      expect(written.length + ending.length).toBeLessThanOrEqual(most);
      for (const token of ending) matcher.accept(token);
      expect(matcher.mayEnd).toBe(true);
      const text = textOf([...written, ...ending]);
      expect({ text, valid: validator.validate(JSON.parse(text)).valid }).toEqual({ text, valid: true });
    }
  });
});

test('an ending is nothing where the text may end', () => {
  const matcher = compileGrammar(jsonSchemaGrammar({ type: 'integer' }), vocabulary).createMatcher();
  matcher.accept(0x37);
  expect(matcher.ending()).toEqual([]);
});

const nulls = { type: 'object', additionalProperties: { type: 'null' }, minProperties: 3 };
const strings = {
  type: 'array',
  items: { type: 'string', pattern: '^[a-c]$' },
  minItems: 3,
  uniqueItems: true,
};
const digits = {
  type: 'array',
  items: { type: 'integer', minimum: 7, maximum: 10 },
  minItems: 4,
  uniqueItems: true,
};
test.each<[written: string, schema: object, ending: string]>([
  ['', nulls, '{"":null,"a":null,"0":null}'],
  ['{"0', nulls, '":null,"":null," ":null}'],
  ['{"a":nu', nulls, 'll,"":null,"0":null}'],
  ['{"a":null,', nulls, '"":null,"0":null}'],
  ['["b', strings, '","a","c"]'],
  ['["b"', strings, ',"a","c"]'],
  ['[1', digits, '0,7,8,9]'],
  ['[8,1', digits, '0,7,9]'],
])('keys and items that must differ are all written: %j under %j', (written, schema, ending) => {
  const matcher = compileGrammar(jsonSchemaGrammar(schema), vocabulary).createMatcher();
  for (const byte of Buffer.from(written)) matcher.accept(byte);
  expect(textOf(matcher.ending()!)).toBe(ending);
  for (const token of matcher.ending()!) matcher.accept(token);
  expect(matcher.mayEnd).toBe(true);
});

test('rules that need themselves are left the shortest way', () => {
  const schema = {
    $ref: '#/$defs/node',
    $defs: {
      node: {
        type: 'object',
        properties: {
          value: { type: 'integer' },
          next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        },
        required: ['value', 'next'],
      },
    },
  };
  const matcher = compileGrammar(jsonSchemaGrammar(schema), vocabulary).createMatcher();
  for (const byte of Buffer.from('{"value":1,"next":{"value":')) matcher.accept(byte);
  expect(textOf(matcher.ending()!)).toBe('0,"next":null}}');
});

test('a call is closed in the shortest way that its format allows', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
  const grammar = answerGrammar({
    response: { type: 'text' },
    calls: {
      tools: [{ name: 'get_weather', parameters }],
      choice: 'required',
      parallel: false,
      format: hermesFormat.constraint!,
    },
  });
  const matcher = compileGrammar(grammar!, vocabulary).createMatcher();
  for (const byte of Buffer.from('<tool_call>\n{"name": "get_weather", "arguments": {"city": "Par'))
    matcher.accept(byte);
  expect(textOf(matcher.ending()!)).toBe('"}}</tool_call>');
});

describe('a stack as deep as the text', () => {
  it.each([
    [3000, ']'.repeat(3000)],
    [40_000, undefined],
  ])('is closed, or has too far to go: %d brackets', (depth, expected) => {
    const matcher = compileGrammar(jsonSchemaGrammar({ type: 'array' }), vocabulary).createMatcher();
    for (let level = 0; level < depth; level++) matcher.accept(0x5b);
    const ending = matcher.ending();
    expect(ending && textOf(ending)).toBe(expected);
    expect(matcher.endsWithin(2 * depth, 0x5d)).toBe(true);
    expect(matcher.endsWithin(10, 0x5d)).toBe(false);
  });

  it('may hold lists of different items', () => {
    const b = { type: 'array', items: { enum: ['x', 'y'] }, uniqueItems: true };
    const node = { type: 'object', properties: { a: { $ref: '#/$defs/node' }, b } };
    const schema = { $ref: '#/$defs/node', $defs: { node } };
    const matcher = compileGrammar(jsonSchemaGrammar(schema), vocabulary).createMatcher();
    for (const byte of Buffer.from(`${'{"a":'.repeat(20_000)}{"b":["x","`)) matcher.accept(byte);
    expect(allowedTokens(matcher.mask()).map((token) => textOf([token]))).toEqual(['y']);
  });
});
