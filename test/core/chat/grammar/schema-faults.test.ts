import { describe, expect, test } from 'vitest';
import { jsonSchemaGrammar } from '../../../../src/core/chat/grammar/json-schema.ts';
import { compileGrammar } from '../../../../src/core/chat/grammar/matcher.ts';
import { allowedTokens, randomWalk, toyVocabulary } from './walk.ts';

const vocabulary = toyVocabulary('aaaa', '"}');

describe('faults name the keyword and its place', () => {
  const property = (schema: unknown): unknown => ({ type: 'object', properties: { a: schema } });
  test.each([
    [3, 'schema: expected a schema: an object or a boolean'],
    [{ type: 'text' }, 'schema.type: expected object, array'],
    [property({ not: {} }), 'schema.properties.a.not: this keyword is not supported'],
    [
      property({ type: 'string', minLenght: 3 }),
      'schema.properties.a.minLenght: this keyword is not supported',
    ],
    [property({ if: {} }), 'schema.properties.a.if:'],
    [{ type: 'object', patternProperties: {} }, 'schema.patternProperties:'],
    [{ type: 'object', minProperties: 2 }, 'schema.minProperties: expected at most 0'],
    [{ type: 'object', required: 'a' }, 'schema.required: expected a list of names'],
    [{ type: 'array', uniqueItems: true }, 'schema.uniqueItems:'],
    [{ type: 'array', contains: {} }, 'schema.contains:'],
    [{ type: 'array', minItems: -1 }, 'schema.minItems: expected a non-negative integer'],
    [{ type: 'array', items: [{}] }, 'schema.items: expected a schema'],
    [{ type: 'string', format: 'regex' }, 'schema.format: expected one of date,'],
    [{ type: 'string', pattern: '(' }, 'schema.pattern: expected a regular expression'],
    [{ type: 'string', pattern: '(?<=a)b' }, 'schema.pattern: expected no look-around'],
    [{ type: 'string', pattern: '(?=a)b' }, 'schema.pattern: expected no look-around'],
    [{ type: 'string', pattern: '(a)\\1' }, 'schema.pattern: expected no \\1'],
    [{ type: 'string', pattern: '\\p{L}' }, 'schema.pattern: expected no \\p'],
    [{ type: 'string', pattern: 'a\\b' }, 'schema.pattern: expected no \\b'],
    [{ type: 'string', pattern: 'a(^b)' }, 'schema.pattern: expected `^` only at the ends'],
    [{ type: 'string', pattern: 'a{20000}' }, 'schema.pattern: expected at most 10000 repetitions'],
    [{ type: 'string', pattern: 'a', maxLength: 3 }, 'schema.pattern: expected no `minLength`'],
    [{ type: 'integer', multipleOf: 3 }, 'schema.multipleOf: expected bounds beside it'],
    [{ type: 'number', minimum: 1e300 }, 'schema.minimum: expected a number between'],
    [{ type: 'number', minimum: 'a' }, 'schema.minimum: expected a number between'],
    [{ anyOf: [{}], type: 'object' }, 'schema.anyOf: expected no `type` beside it'],
    [{ anyOf: [] }, 'schema.anyOf: expected a list of schemas'],
    [
      { oneOf: [{ type: 'integer' }, { type: 'number' }] },
      'schema.oneOf: expected schemas of which no two can match',
    ],
    [
      { oneOf: [{ required: ['a'] }, { required: ['b'] }] },
      'schema.oneOf: expected schemas of which no two can match',
    ],
    [{ allOf: [{}, {}] }, 'schema.allOf: expected one schema, got 2'],
    [{ $ref: '#/$defs/none' }, 'schema.$ref: expected a reference to a part of the schema'],
    [{ $ref: 'https://example.com/schema' }, 'schema.$ref: expected a reference within the schema'],
    [{ $ref: '#' }, 'schema.$ref: expected no reference to itself'],
    [
      { $ref: '#/$defs/a', $defs: { a: { anyOf: [{ $ref: '#/$defs/a' }, {}] } } },
      'schema.$defs.a.anyOf[0].$ref: expected no reference to itself',
    ],
    [
      {
        type: 'array',
        items: { $ref: '#/$defs/b' },
        $defs: { a: { $ref: '#/$defs/b' }, b: { anyOf: [{}, { $ref: '#/$defs/a' }] } },
      },
      '$ref: expected no reference to itself',
    ],
    [{ $ref: '#/$defs/a', $defs: { a: { not: {} } } }, 'schema.$defs.a.not:'],
    [{ $ref: '#/%zz' }, 'schema.$ref: expected a reference to a part'],
  ])('%j', (schema, message) => {
    expect(() => jsonSchemaGrammar(schema)).toThrow(RangeError);
    expect(() => jsonSchemaGrammar(schema)).toThrow(message);
  });

  test.each([
    [false],
    [{ type: 'string', minLength: 3, maxLength: 2 }],
    [{ type: 'integer', minimum: 3, maximum: 2 }],
    [{ type: 'number', exclusiveMinimum: 1, exclusiveMaximum: 1 }],
    [{ type: 'string', enum: [1, 2] }],
    [{ type: 'object', properties: { a: false }, required: ['a'] }],
    [{ type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }],
    [{ type: 'array', prefixItems: [{}], items: false, minItems: 2 }],
    [{ type: 'string', pattern: '[^\\s\\S]' }],
  ])('%j has no document', (schema) => {
    expect(() => compileGrammar(jsonSchemaGrammar(schema), vocabulary)).toThrow('some finite document');
  });
});

describe('hostile schemas are refused or cost little', () => {
  const nested = (depth: number): unknown => {
    let schema: unknown = {};
    for (let level = 0; level < depth; level++) schema = { type: 'array', items: schema };
    return schema;
  };

  test.each([
    ['10,000 deep', nested(10_000), 'levels of nesting'],
    ['a huge enum', { enum: Array.from({ length: 100_000 }, (_, index) => index) }, 'values'],
    [
      'huge texts',
      { enum: Array.from({ length: 100 }, (_, index) => 'x'.repeat(10_000) + index) },
      'characters',
    ],
    [
      'a long name',
      { properties: { ['x'.repeat(1000)]: {} } },
      'schema.properties: expected names of at most 256',
    ],
    [
      'many alternatives',
      { anyOf: Array.from({ length: 300 }, () => ({})) },
      'schema.anyOf: expected at most 256',
    ],
    ['deep groups', { type: 'string', pattern: '('.repeat(200) + ')'.repeat(200) }, 'nested groups'],
  ])('%s', (_, schema, message) => {
    expect(() => jsonSchemaGrammar(schema)).toThrow(message);
  });

  test.each([
    ['as deep as may be', nested(60)],
    ['enum of 10,000', { enum: Array.from({ length: 10_000 }, (_, index) => `value ${index}`) }],
    ['long texts that begin alike', { enum: ['a', 'b', 'c'].map((end) => 'x'.repeat(150_000) + end) }],
    [
      'thousands of properties',
      {
        type: 'object',
        properties: Object.fromEntries(
          Array.from({ length: 6000 }, (_, index) => [`p${index}`, { type: 'null' }]),
        ),
        additionalProperties: true,
      },
    ],
    [
      'many pairs to tell apart',
      {
        oneOf: Array.from({ length: 256 }, (_, kind) => ({
          type: 'object',
          properties: { kind: { const: kind }, value: { type: 'string' } },
          required: ['value', 'kind'],
        })),
      },
    ],
    [
      'a long chain of references',
      {
        $ref: '#/$defs/d0',
        $defs: Object.fromEntries(
          Array.from({ length: 6000 }, (_, index) => [
            `d${index}`,
            index < 5999 ? { $ref: `#/$defs/d${index + 1}` } : {},
          ]),
        ),
      },
    ],
    ['catastrophic for backtracking', { type: 'string', pattern: '^(a+)+$' }],
    ['exponential as a table', { type: 'string', pattern: 'a.{300}$' }],
    ['counters within counters', { type: 'string', pattern: '((a{0,100}){0,100}){0,100}b' }],
    ['empty rounds', { type: 'string', pattern: '^((a*)*|(b?){0,9000}){0,9000}$' }],
    ['a very long string', { type: 'string', minLength: 3, maxLength: 2 ** 31 }],
    [
      'branches that double with each level',
      {
        anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }],
        $defs: {
          a: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/b' }] } },
          b: { type: 'array', items: { anyOf: [{ $ref: '#/$defs/b' }, { $ref: '#/$defs/a' }] } },
        },
      },
    ],
  ])('%s', (_, schema) => {
    const grammar = compileGrammar(jsonSchemaGrammar(schema), vocabulary);
    const matcher = grammar.createMatcher();
    for (let step = 0; step < 30; step++) {
      const allowed = allowedTokens(matcher.mask());
      expect(allowed).not.toEqual([]);
      const opening = allowed.find((token) => token === 0x5b) ?? allowed.at(-1)!;
      if (vocabulary.endTokens.has(opening)) break;
      matcher.accept(opening);
    }
  });

  test('ambiguous documents still end', () => {
    const schema = { type: 'string', pattern: '^((a|aa|aaa){1,50}){1,50}b$' };
    const text = randomWalk(compileGrammar(jsonSchemaGrammar(schema), vocabulary), vocabulary, { seed: 1 });
    expect(JSON.parse(text)).toMatch(/^a+b$/);
  });
});
