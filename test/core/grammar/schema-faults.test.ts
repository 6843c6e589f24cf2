import { describe, expect, test } from 'vitest';
import { createSchemaBudget } from '../../../src/core/grammar/schemas/size.ts';
import { allowedTokens, randomWalk, toyVocabulary } from './walk.ts';
import { compileGrammar, jsonSchemaGrammar } from './all-at-once.ts';

const vocabulary = toyVocabulary('aaaa', '"}');

describe('faults name the keyword and its place', () => {
  const property = (schema: unknown): unknown => ({ type: 'object', properties: { a: schema } });
  test.each([
    [3, 'schema: expected a schema: an object or a boolean'],
    [{ type: 'text' }, 'schema.type: expected object, array'],
    [{ type: 'object', required: 'a' }, 'schema.required: expected a list of names'],
    [{ type: 'array', uniqueItems: true }, 'schema.uniqueItems:'],
    [{ type: 'array', minItems: -1 }, 'schema.minItems: expected a non-negative integer'],
    [{ type: 'array', items: 3 }, 'schema.items: expected a schema'],
    [{ type: 'array', items: { type: 'object' }, uniqueItems: true }, 'schema.uniqueItems: expected `items`'],
    [
      { type: 'array', items: { type: 'string' }, uniqueItems: true, contains: { const: 'a' } },
      'schema.uniqueItems: expected constants as items beside `contains` or `prefixItems`',
    ],
    [
      { items: { enum: [...'abcdefghijkl'] }, uniqueItems: true, contains: { const: 'a' } },
      'schema.uniqueItems: expected fewer constants as items',
    ],
    [property({ not: { uniqueItems: true } }), 'schema.properties.a.not.uniqueItems: this keyword'],
    [property({ not: { const: {} } }), 'schema.properties.a: expected no objects'],
    [{ not: { format: 'regex' } }, 'schema.not.format: this keyword'],
    [{ enum: ['a', 1], not: { format: 'email' } }, 'schema.not.format: this keyword'],
    [
      { type: 'string', pattern: '((?=a)b)*' },
      'schema.pattern: expected no look-around in a group that repeats',
    ],
    [{ type: 'number', multipleOf: 0 }, 'schema.multipleOf: expected a positive number'],
    [{ type: 'number', multipleOf: 1e-20 }, 'schema.multipleOf: expected a step'],
    [{ allOf: {} }, 'schema.allOf: expected a list of schemas'],
    [{ patternProperties: { '(': {} } }, 'schema.patternProperties.(: expected a regular expression'],
    [{ propertyNames: { pattern: '\\p{L}' } }, 'schema: expected a simpler pattern'],
    [{ $ref: 'other.json#/a' }, 'schema.$ref: expected a reference within the schema'],
    [{ type: 'string', pattern: '(' }, 'schema.pattern: expected a regular expression'],
    [{ type: 'string', pattern: '(?<=a)b' }, 'schema.pattern: expected no look-around'],
    [{ type: 'string', pattern: '(a)\\1' }, 'schema.pattern: expected no \\1'],
    [{ type: 'string', pattern: '\\p{L}' }, 'schema.pattern: expected a simpler pattern'],
    [
      { type: 'string', pattern: '^[[:alpha:]]+$' },
      'schema.pattern: expected no [:alpha:], but a-zA-Z or \\p{L}, got "^[[:alpha:]]+$"',
    ],
    [{ type: 'string', pattern: '^[^[:^space:]x]$' }, 'schema.pattern: expected no [:^space:], but \\s'],
    [{ type: 'string', pattern: '[a-z&&[^aeiou]]' }, 'schema.pattern: expected no && of classes'],
    [{ type: 'string', pattern: 'a\\b' }, 'schema.pattern: expected no \\b'],
    [{ type: 'string', pattern: 'a{20000}' }, 'schema.pattern: expected at most 10000 repetitions'],
    [{ type: 'number', minimum: 1e300 }, 'schema.minimum: expected a number between'],
    [{ type: 'number', minimum: 'a' }, 'schema.minimum: expected a number between'],
    [{ anyOf: [] }, 'schema.anyOf: expected a list of schemas'],
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
    [{ type: 'string', pattern: '(?=a)b' }],
    [{ type: 'string', pattern: 'a(^b)' }],
    [{ type: 'string', pattern: '^a+$', minLength: 3, maxLength: 2 }],
    [{ allOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ allOf: [{ pattern: '^a' }, { pattern: '^b' }], type: 'string' }],
    [{ not: {} }],
    [{ type: 'integer', minimum: 1, maximum: 6, multipleOf: 7 }],
    [{ type: 'object', minProperties: 3, maxProperties: 2 }],
    [{ type: 'object', required: ['a'], propertyNames: { const: 'b' } }],
    [{ type: 'array', items: { enum: ['a', 'b'] }, uniqueItems: true, minItems: 3 }],
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
    [
      '60,000 alternatives',
      { type: 'string', pattern: Array.from({ length: 60_000 }, (_, index) => `w${index}`).join('|') },
      'schema.pattern: expected at most 20000 characters',
    ],
    [
      'a thousand ways',
      { type: 'string', pattern: '.*a?'.repeat(2000) },
      'schema.pattern: expected a simpler pattern',
    ],
    [
      'hard patterns in number',
      {
        properties: Object.fromEntries(
          Array.from({ length: 400 }, (_, index) => [
            `p${index}`,
            { pattern: `(a|b|c){1,${index + 50}}.*x{${index}}$` },
          ]),
        ),
      },
      'expected a simpler pattern',
    ],
    [
      'alternatives that multiply',
      {
        allOf: Array.from({ length: 12 }, (_, index) => ({
          anyOf: ['a', 'b', 'c'].map((name) => ({ required: [name + index] })),
        })),
      },
      'schema.allOf: expected fewer combinations',
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

  test('a fault names its place in few words', () => {
    const long = 'x'.repeat(100_000);
    for (const schema of [
      { $ref: `#/${long}` },
      { type: long },
      { properties: { a: { pattern: `(${long}` } } },
    ]) {
      expect(() => jsonSchemaGrammar(schema)).toThrow(RangeError);
      expect(() => jsonSchemaGrammar(schema)).toThrow(/^.{10,400}$/);
    }
  });

  test('all schemas of an answer share one budget', () => {
    const budget = createSchemaBudget();
    const schema = { type: 'string', pattern: '^[a-z]{1,40}(-[a-z]{1,40})*$', minLength: 5, maxLength: 200 };
    jsonSchemaGrammar(schema, 'schema', budget);
    const used = createSchemaBudget().textSteps - budget.textSteps;
    expect(used).toBeGreaterThan(100);
    expect(used).toBeLessThan(20_000);
    budget.textSteps = Math.floor(used / 8);
    expect(() => jsonSchemaGrammar(schema, 'schema', budget)).toThrow(
      'schema.pattern: expected a simpler pattern',
    );
  });

  test('ambiguous documents still end', () => {
    const schema = { type: 'string', pattern: '^((a|aa|aaa){1,50}){1,50}b$' };
    const text = randomWalk(compileGrammar(jsonSchemaGrammar(schema), vocabulary), vocabulary, { seed: 1 });
    expect(JSON.parse(text)).toMatch(/^a+b$/);
  });
});
